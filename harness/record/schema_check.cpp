#include "harness/record/schema_check.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "harness/core/error.hpp"
#include "harness/record/key_path.hpp"

namespace gonogo::record {
namespace {

using Found = std::optional<SchemaFault>;

constexpr std::array<std::string_view, 17> kKnown{
    "$schema",  "$id",   "title",      "description",          "definitions", "$ref",      "type",    "enum", "const",
    "required", "items", "properties", "additionalProperties", "minItems",    "minLength", "minimum", "oneOf"};

bool is_integral(const Json& value) {
  return value.is_number_integer() ||
         (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return is_integral(value);
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  throw core::LogicError("a JSON Schema type", __FILE__, __LINE__, type);
}

std::string shown(const Json& value) {
  auto text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > 60) text = text.substr(0, 57) + "...";
  return text;
}

class Checker {
 public:
  explicit Checker(const Json& root) : root_(root) {}

  Found check(const Json& value, const Json& schema) {
    for (const auto& [keyword, unused] : schema.items())
      GONOGO_EXPECT(std::find(kKnown.begin(), kKnown.end(), keyword) != kKnown.end(), "schema keyword " + keyword);
    if (schema.contains("$ref")) return check(value, definition(schema["$ref"].get<std::string>()));
    if (auto fault = check_scalar(value, schema)) return fault;
    if (value.is_object())
      if (auto fault = check_object(value, schema)) return fault;
    if (value.is_array())
      if (auto fault = check_array(value, schema)) return fault;
    return check_one_of(value, schema);
  }

 private:
  Found fault(std::string what) const { return SchemaFault{to_string(path_), std::move(what)}; }

  const Json& definition(const std::string& reference) const {
    const std::string prefix = "#/definitions/";
    GONOGO_EXPECT(reference.rfind(prefix, 0) == 0, reference);
    return root_.at("definitions").at(reference.substr(prefix.size()));
  }

  Found check_type(const Json& value, const Json& type) const {
    if (type.is_string()) {
      if (has_type(value, type.get<std::string>())) return {};
    } else {
      for (const Json& one : type)
        if (has_type(value, one.get<std::string>())) return {};
    }
    return fault(fmt::format("wanted type {}, got {}", shown(type), shown(value)));
  }

  Found check_scalar(const Json& value, const Json& schema) const {
    if (schema.contains("type"))
      if (auto found = check_type(value, schema["type"])) return found;
    if (schema.contains("const") && value != schema["const"])
      return fault(fmt::format("wanted {}, got {}", shown(schema["const"]), shown(value)));
    if (schema.contains("enum") &&
        std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
      return fault(fmt::format("wanted one of {}, got {}", shown(schema["enum"]), shown(value)));
    if (schema.contains("minimum") && value.is_number() && value.get<double>() < schema["minimum"].get<double>())
      return fault(fmt::format("wanted at least {}, got {}", shown(schema["minimum"]), shown(value)));
    if (schema.contains("minLength") && value.is_string() &&
        value.get_ref<const std::string&>().size() < schema["minLength"].get<std::size_t>())
      return fault("the text is too short: " + shown(value));
    return {};
  }

  Found check_object(const Json& value, const Json& schema) {
    if (schema.contains("required"))
      for (const Json& key : schema["required"])
        if (!value.contains(key.get<std::string>())) return fault("key " + shown(key) + " is missing");
    for (const auto& [key, member] : value.items()) {
      path_.emplace_back(key);
      auto found = check_member(key, member, schema);
      path_.pop_back();
      if (found) return found;
    }
    return {};
  }

  Found check_member(const std::string& key, const Json& member, const Json& schema) {
    if (schema.contains("properties") && schema["properties"].contains(key))
      return check(member, schema["properties"][key]);
    if (!schema.contains("additionalProperties")) return {};
    const Json& additional = schema["additionalProperties"];
    if (additional.is_object()) return check(member, additional);
    return additional.get<bool>() ? Found{} : fault("the key is unknown");
  }

  Found check_array(const Json& value, const Json& schema) {
    if (schema.contains("minItems") && value.size() < schema["minItems"].get<std::size_t>())
      return fault(fmt::format("wanted at least {} items, got {}", shown(schema["minItems"]), value.size()));
    if (!schema.contains("items")) return {};
    for (std::size_t i = 0; i < value.size(); ++i) {
      path_.emplace_back(i);
      auto found = check(value[i], schema["items"]);
      path_.pop_back();
      if (found) return found;
    }
    return {};
  }

  Found check_one_of(const Json& value, const Json& schema) {
    if (!schema.contains("oneOf")) return {};
    std::size_t fits = 0;
    std::string reasons;
    for (const Json& form : schema["oneOf"]) {
      const auto found = check(value, form);
      if (!found) {
        ++fits;
      } else {
        reasons += fmt::format("{}{} {}", reasons.empty() ? "" : "; or ", found->place, found->what);
      }
    }
    if (fits == 1) return {};
    return fault(fits == 0 ? "fits no allowed form: " + reasons
                           : fmt::format("fits {} forms that exclude each other", fits));
  }

  const Json& root_;
  KeyPath path_;
};

}  // namespace

std::optional<SchemaFault> schema_fault(const Json& document, const Json& schema) {
  return Checker(schema).check(document, schema);
}

}  // namespace gonogo::record
