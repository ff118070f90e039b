#include "engine/ops/attributes.hpp"

#include "harness/core/error.hpp"

namespace gonogo::ops {

void reject(const NodePlace& place, const std::string& rule, const std::string& wanted, const std::string& got) {
  reject(place, core::Refusal{rule, wanted, got});
}

void reject(const NodePlace& place, const core::Refusal& refusal) {
  throw core::InputError({place.file, "node " + place.node, core::to_string(refusal), ""});
}

template <class T>
const T* Attributes::find(std::string_view name, std::string_view type) {
  read_.emplace(name);
  const auto it = node_.attributes.find(name);
  if (it == node_.attributes.end()) return nullptr;
  const T* value = std::get_if<T>(&it->second);
  if (value == nullptr) reject(place_, "attribute " + std::string(name) + ", type", std::string(type), "another type");
  return value;
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t absent) {
  const auto* value = find<std::int64_t>(name, "int");
  return value == nullptr ? absent : *value;
}

float Attributes::real(std::string_view name, float absent) {
  const auto* value = find<float>(name, "float");
  return value == nullptr ? absent : *value;
}

std::string Attributes::text(std::string_view name, std::string_view absent) {
  const auto* value = find<std::string>(name, "string");
  return value == nullptr ? std::string(absent) : *value;
}

std::vector<std::int64_t> Attributes::integers(std::string_view name, std::vector<std::int64_t> absent) {
  const auto* value = find<std::vector<std::int64_t>>(name, "ints");
  return value == nullptr ? std::move(absent) : *value;
}

std::int64_t Attributes::required_integer(std::string_view name) {
  const auto* value = find<std::int64_t>(name, "int");
  if (value == nullptr) reject(place_, "attribute " + std::string(name), "present", "absent");
  return *value;
}

void Attributes::only(std::string_view name, std::int64_t value) {
  const std::int64_t got = integer(name, value);
  if (got != value) reject(place_, "attribute " + std::string(name), std::to_string(value), std::to_string(got));
}

void Attributes::only(std::string_view name, std::string_view value) {
  const std::string got = text(name, value);
  if (got != value) reject(place_, "attribute " + std::string(name), std::string(value), got);
}

bool Attributes::has(std::string_view name) const { return node_.attributes.contains(name); }

void Attributes::finish() const {
  for (const auto& [name, value] : node_.attributes)
    if (!read_.contains(name)) reject(place_, "attribute", "one this engine honours", name);
}

}  // namespace gonogo::ops
