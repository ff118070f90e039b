#include "tools/case_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "harness/core/error.hpp"

namespace gonogo::tools {
namespace {

using nlohmann::json;

std::optional<core::DType> dtype_of(const std::string& name) {
  static const std::map<std::string, core::DType> kNames{
      {"f32", core::DType::f32},     {"float32", core::DType::f32}, {"f16", core::DType::f16},
      {"float16", core::DType::f16}, {"bf16", core::DType::bf16},   {"i32", core::DType::i32},
      {"int32", core::DType::i32},   {"i64", core::DType::i64},     {"bfloat16", core::DType::bf16},
      {"int64", core::DType::i64},   {"u8", core::DType::u8},       {"uint8", core::DType::u8},
      {"i8", core::DType::i8},       {"int8", core::DType::i8},     {"bool", core::DType::boolean}};
  const auto found = kNames.find(name);
  return found == kNames.end() ? std::nullopt : std::optional(found->second);
}

/// A number, or a name for what JSON has no number for.
double number_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "inf" || text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-inf" || text == "-Infinity") return -std::numeric_limits<double>::infinity();
  }
  return value.get<double>();
}

void store(const core::Tensor& tensor, std::int64_t i, const json& value) {
  const auto whole = [&] {
    // A 64-bit integer does not survive a double.
    return value.is_number_integer() ? value.get<std::int64_t>() : static_cast<std::int64_t>(number_of(value));
  };
  switch (core::bits_of(tensor.dtype)) {
    case 64:
      tensor.as<std::int64_t>()[i] = whole();
      break;
    case 32:
      if (tensor.dtype == core::DType::f32)
        tensor.as<float>()[i] = static_cast<float>(number_of(value));
      else
        tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(whole());
      break;
    case 16:
      tensor.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(whole());
      break;
    default:
      tensor.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(whole());
      break;
  }
}

CaseTensor tensor_of(const json& value) {
  const bool is_list = value.is_array();
  const json& type = is_list ? value.at(0) : value.at("type");
  const json& dims = is_list ? value.at(1) : value.at("dims");
  const json& data = is_list ? value.at(2) : value.at("data");
  const auto dtype = dtype_of(type.get<std::string>());
  if (!dtype) throw std::runtime_error("unknown element type " + type.dump());
  CaseTensor result;
  result.tensor.dtype = *dtype;
  result.tensor.shape = dims.get<core::Shape>();
  std::int64_t count = 1;
  for (const std::int64_t extent : result.tensor.shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count))
      throw std::runtime_error("impossible shape " + dims.dump());
  if (static_cast<std::int64_t>(data.size()) != count)
    throw std::runtime_error(fmt::format("shape {} wants {} values, got {}", dims.dump(), count, data.size()));
  result.buffer = core::HostBuffer(std::max<std::size_t>(64, result.tensor.bytes()));
  result.tensor.data = result.buffer.data();
  for (std::int64_t i = 0; i < count; ++i) store(result.tensor, i, data[static_cast<std::size_t>(i)]);
  return result;
}

Case case_of(const json& line, const std::filesystem::path& folder) {
  Case read;
  read.tag = line.at("tag").get<std::string>();
  read.model = folder / line.at("model").get<std::string>();
  if (!std::filesystem::is_regular_file(read.model)) throw std::runtime_error("no file " + read.model.string());
  for (const auto& [name, value] : line.at("feeds").items()) read.feeds.emplace(name, tensor_of(value));
  const json& expect = line.at("expect");
  if (!expect.is_object() || expect.empty())
    throw std::runtime_error("expect: wanted outputs or {\"error\": \"refused\"}");
  read.must_refuse = expect.contains("error") && expect.at("error").is_string();
  if (read.must_refuse) return read;
  for (const auto& [name, value] : expect.items()) read.expected.emplace(name, tensor_of(value));
  return read;
}

}  // namespace

std::vector<Case> read_cases(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "cases.jsonl";
  std::ifstream stream(file);
  if (!stream) throw core::InputError({file.string(), "", "cannot be read", "name a folder that holds a cases.jsonl"});
  std::vector<Case> cases;
  std::string text;
  for (int number = 1; std::getline(stream, text); ++number) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    try {
      cases.push_back(case_of(json::parse(text), folder));
    } catch (const std::exception& error) {
      throw core::InputError({file.string(), fmt::format("line {}", number), error.what(), ""});
    }
  }
  if (cases.empty()) throw core::InputError({file.string(), "", "holds no case", ""});
  return cases;
}

}  // namespace gonogo::tools
