#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "harness/core/error.hpp"
#include "harness/record/embedded.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/gates/gate.hpp"

namespace gonogo::reports {

std::span<const record::EmbeddedFile> embedded_gates();  // generated

namespace {

void expect_new_id(const std::vector<Gate>& gates, const Gate& gate, const std::string& file) {
  for (const Gate& other : gates)
    if (other.id == gate.id)
      throw core::InputError({file, "id", fmt::format("another file has the gate '{}' already", gate.id), ""});
}

}  // namespace

std::vector<Gate> load_gates(const std::filesystem::path& folder) {
  std::error_code code;
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code))
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  if (code) throw core::InputError({folder.string(), "", "the folder of gates cannot be read: " + code.message(), ""});
  if (files.empty()) throw core::InputError({folder.string(), "", "the folder holds no gate (*.json)", ""});
  std::sort(files.begin(), files.end());
  std::vector<Gate> gates;
  for (const auto& file : files) {
    Gate gate = parse_gate(record::read_text(file), file.string());
    expect_new_id(gates, gate, file.string());
    gates.push_back(std::move(gate));
  }
  return gates;
}

std::vector<Gate> shipped_gates() {
  std::vector<Gate> gates;
  for (const auto& file : embedded_gates()) {
    Gate gate = parse_gate(std::string(file.text), std::string(file.name));
    expect_new_id(gates, gate, std::string(file.name));
    gates.push_back(std::move(gate));
  }
  return gates;
}

}  // namespace gonogo::reports
