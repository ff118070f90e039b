#include "engine/onnx/genai_config.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"

namespace gonogo::onnx {
namespace {

using nlohmann::json;

class Reader {
 public:
  explicit Reader(std::filesystem::path file) : file_(std::move(file)) {}

  [[nodiscard]] json parse() const {
    std::ifstream stream(file_, std::ios::binary);
    if (!stream) fail("", "cannot be read");
    try {
      return json::parse(stream);
    } catch (const json::exception& error) {
      fail("", fmt::format("is not valid JSON: {}", error.what()));
    }
  }
  /// An object's member object; null when absent.
  [[nodiscard]] json object(const json& parent, const std::string& path) const {
    const json* member = find(parent, path);
    if (member == nullptr) return json::object();
    if (!member->is_object()) fail(path, "wanted an object, got " + std::string(member->type_name()));
    return *member;
  }
  [[nodiscard]] std::optional<std::string> text(const json& parent, const std::string& path) const {
    const json* member = find(parent, path);
    if (member == nullptr) return std::nullopt;
    if (!member->is_string()) fail(path, "wanted a string, got " + std::string(member->type_name()));
    return member->get<std::string>();
  }
  [[nodiscard]] std::optional<std::int64_t> integer(const json& parent, const std::string& path) const {
    const json* member = find(parent, path);
    if (member == nullptr) return std::nullopt;
    return integer_of(*member, path);
  }
  [[nodiscard]] std::vector<std::int64_t> integers(const json& parent, const std::string& path) const {
    const json* member = find(parent, path);
    if (member == nullptr) return {};
    if (!member->is_array()) return {integer_of(*member, path)};
    std::vector<std::int64_t> values;
    for (const json& item : *member) values.push_back(integer_of(item, path));
    return values;
  }

 private:
  static const json* find(const json& parent, const std::string& path) {
    const auto found = parent.find(path.substr(path.rfind('.') + 1));
    return found == parent.end() || found->is_null() ? nullptr : &*found;
  }
  [[nodiscard]] std::int64_t integer_of(const json& value, const std::string& path) const {
    if (!value.is_number_integer()) fail(path, "wanted an integer, got " + value.dump());
    return value.get<std::int64_t>();
  }
  [[noreturn]] void fail(const std::string& place, const std::string& what) const {
    throw core::InputError({file_.string(), place, what, "mend or remove the file; it is optional"});
  }
  std::filesystem::path file_;
};

}  // namespace

GenaiConfig read_genai_config(const std::filesystem::path& folder) {
  GenaiConfig config;
  const std::filesystem::path file = folder / "genai_config.json";
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return config;
  const Reader reader(file);
  const json root = reader.parse();
  if (!root.is_object())
    throw core::InputError({file.string(), "", "wanted a JSON object", "mend or remove the file; it is optional"});
  const json model = reader.object(root, "model");
  const json decoder = reader.object(model, "model.decoder");
  config.filename = reader.text(decoder, "model.decoder.filename");
  config.type = reader.text(model, "model.type");
  config.context_length = reader.integer(model, "model.context_length");
  config.vocab_size = reader.integer(model, "model.vocab_size");
  config.bos_id = reader.integer(model, "model.bos_token_id");
  config.eos_ids = reader.integers(model, "model.eos_token_id");
  return config;
}

}  // namespace gonogo::onnx
