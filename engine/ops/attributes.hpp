// Reads a node's attributes with their types and defaults, and refuses those that nobody read.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ops/op.hpp"

namespace gonogo::ops {

/// Throws core::InputError at this node: "rule: wanted W, got G".
[[noreturn]] void reject(const NodePlace& place, const std::string& rule, const std::string& wanted,
                         const std::string& got);
/// The same for a refusal from a kernel's eligibility.
[[noreturn]] void reject(const NodePlace& place, const core::Refusal& refusal);

class Attributes {
 public:
  Attributes(const onnx::Node& node, const NodePlace& place) : node_(node), place_(place) {}

  /// The attribute's value, or the default when absent. Throws InputError when its type is another.
  std::int64_t integer(std::string_view name, std::int64_t absent);
  float real(std::string_view name, float absent);
  std::string text(std::string_view name, std::string_view absent);
  std::vector<std::int64_t> integers(std::string_view name, std::vector<std::int64_t> absent);
  /// The attribute must be there.
  std::int64_t required_integer(std::string_view name);
  /// The attribute may be there with this value only, being a feature that is not honoured otherwise.
  void only(std::string_view name, std::int64_t value);
  void only(std::string_view name, std::string_view value);
  [[nodiscard]] bool has(std::string_view name) const;

  /// Throws InputError naming the first attribute that none of the calls above asked for.
  void finish() const;

 private:
  template <class T>
  const T* find(std::string_view name, std::string_view type);
  const onnx::Node& node_;
  const NodePlace& place_;
  std::set<std::string, std::less<>> read_;
};

}  // namespace gonogo::ops
