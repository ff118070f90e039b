#include "reports/import/fields.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <cmath>

#include "harness/core/error.hpp"

namespace gonogo::reports {

const Json* Fields::find(const char* key) const {
  if (!value_->is_object()) fail("", fmt::format("wanted an object, got {}", value_->type_name()));
  const auto found = value_->find(key);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

const Json& Fields::at(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr) fail(key, "is missing");
  return *found;
}

void Fields::mistyped(const char* key, const char* wanted) const {
  fail(key, fmt::format("wanted {}, got {}", wanted, at(key).type_name()));
}

bool Fields::has(const char* key) const { return find(key) != nullptr; }

Fields Fields::object(const char* key) const {
  if (!at(key).is_object()) mistyped(key, "an object");
  record::KeyPath path = path_;
  path.emplace_back(std::string(key));
  return {at(key), *file_, std::move(path)};
}

Fields Fields::array(const char* key) const {
  if (!at(key).is_array()) mistyped(key, "an array");
  record::KeyPath path = path_;
  path.emplace_back(std::string(key));
  return {at(key), *file_, std::move(path)};
}

Fields Fields::item(std::size_t index) const {
  record::KeyPath path = path_;
  path.emplace_back(index);
  const Fields result((*value_)[index], *file_, std::move(path));
  if (!result.value_->is_object()) result.fail("", fmt::format("wanted an object, got {}", result.value_->type_name()));
  return result;
}

std::string Fields::text(const char* key) const {
  if (!at(key).is_string()) mistyped(key, "a text");
  return at(key).get<std::string>();
}

std::string Fields::text_or(const char* key, const std::string& fallback) const {
  return has(key) ? text(key) : fallback;
}

double Fields::number(const char* key) const {
  if (!at(key).is_number()) mistyped(key, "a number");
  return at(key).get<double>();
}

std::optional<double> Fields::number_if(const char* key) const {
  return has(key) ? std::optional(number(key)) : std::nullopt;
}

std::optional<std::int64_t> Fields::integer_if(const char* key) const {
  if (!has(key)) return std::nullopt;
  if (!at(key).is_number_integer()) mistyped(key, "an integer");
  return at(key).get<std::int64_t>();
}

bool Fields::flag(const char* key) const {
  if (!has(key)) return false;
  if (!at(key).is_boolean()) mistyped(key, "true or false");
  return at(key).get<bool>();
}

std::vector<double> Fields::numbers(const char* key) const {
  if (!at(key).is_array()) mistyped(key, "an array of numbers");
  std::vector<double> values;
  values.reserve(at(key).size());
  for (const Json& value : at(key)) {
    if (!value.is_number())
      fail(fmt::format("{}[{}]", key, values.size()), fmt::format("wanted a number, got {}", value.type_name()));
    values.push_back(value.get<double>());
  }
  return values;
}

std::string Fields::shown(const char* key) const {
  const Json* found = find(key);
  if (found == nullptr) return "";
  return found->is_string() ? found->get<std::string>() : found->dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Fields::place(const std::string& key) const {
  std::string path = record::to_string(path_);
  if (!path.empty() && !key.empty()) path += '.';
  return path + key;
}

void Fields::fail(const std::string& key, const std::string& what, const std::string& remedy) const {
  throw core::InputError({*file_, place(key), what, remedy});
}

}  // namespace gonogo::reports
