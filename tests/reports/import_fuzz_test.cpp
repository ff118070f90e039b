// Every sample file cut and with bytes flipped: read or refused with its name, never a crash.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/compare/comparison.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;
namespace fs = std::filesystem;

namespace {

const fs::path kSamples = tests::source_folder() / "tests" / "reports" / "samples";

// Text and the name to give it, so that side files are found.
std::vector<std::pair<std::string, fs::path>> samples() {
  std::vector<std::pair<std::string, fs::path>> all;
  for (const char* name : {"google-base.json", "google-aggregates.json", "nvbench-base.json", "llama-base.json",
                           "llama-slower.jsonl", "hyperfine-base.json", "criterion-messages.jsonl",
                           "criterion/bench0/new/sample.json", "criterion/bench0/new/estimates.json"})
    all.emplace_back(record::read_text(kSamples / name), kSamples / name);
  all.emplace_back(record::to_text(tests::sample_record()), kSamples / "record.json");
  return all;
}

// True when it was read; what is read must also compare and print.
bool survives(const std::string& text, const fs::path& file) {
  std::vector<reports::ImportedRun> side;
  try {
    side.push_back(reports::parse_run(text, file));
  } catch (const core::InputError& error) {
    CHECK(error.fault().file.find(file.filename().string()) != std::string::npos);
    CHECK((!error.fault().place.empty() || !error.fault().what.empty()));
    CHECK(error.code() == core::ExitCode::usage);
    return false;
  }
  const auto comparison = reports::compare(side, side, {});
  CHECK(comparison.exit_code != core::ExitCode::no_go);  // a run against itself
  std::vector<std::string> undefined;
  (void)record::dump_strict(reports::to_json(comparison), &undefined);
  CHECK(undefined.empty());
  CHECK(reports::to_text(comparison, reports::Style::plain, true).find("nan") == std::string::npos);
  CHECK(!reports::to_markdown(comparison, reports::Style::seeds).empty());
  return true;
}

}  // namespace

TEST_CASE("a sample file of any format compares with itself without a regression", "[import]") {
  for (const auto& [text, file] : samples()) {
    CAPTURE(file.string());
    CHECK(survives(text, file));
  }
}

TEST_CASE("a file of any format cut anywhere is refused with file and place", "[import]") {
  std::mt19937_64 random(20261201);
  for (const auto& [text, file] : samples()) {
    const bool lines = file.extension() == ".jsonl";
    for (int i = 0; i < 40; ++i) {
      const std::size_t length = random() % (text.size() - 2);
      CAPTURE(file.string(), length);
      const bool whole_lines = lines && length > 0 && (text[length - 1] == '\n' || text[length] == '\n');
      CHECK(survives(text.substr(0, length), file) == whole_lines);
    }
  }
}

TEST_CASE("a file of any format with bytes changed is read or refused, and never crashes", "[import]") {
  std::mt19937_64 random(7);
  std::size_t refused = 0, read = 0;
  for (const auto& [text, file] : samples())
    for (int i = 0; i < 60; ++i) {
      std::string changed = text;
      for (std::uint64_t k = 0; k <= random() % 3; ++k) {
        const std::size_t at = random() % changed.size();
        changed[at] = static_cast<char>(random() % 2 == 0 ? random() % 256 : "{}[]\",:0-e\n"[random() % 11]);
      }
      CAPTURE(file.string(), i);
      ++(survives(changed, file) ? read : refused);
    }
  CHECK(refused > 100);
  CHECK(read > 20);
}
