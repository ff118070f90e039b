#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/graph/graph.hpp"

namespace gonogo::graph {
namespace {

std::string text_of(const onnx::AttributeValue& value) {
  struct Printer {
    std::string operator()(std::int64_t v) const { return fmt::format("{}", v); }
    std::string operator()(float v) const { return fmt::format("{}", v); }
    std::string operator()(const std::string& v) const { return '"' + v + '"'; }
    std::string operator()(const std::vector<std::int64_t>& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
    std::string operator()(const std::vector<float>& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
    std::string operator()(const std::vector<std::string>& v) const { return fmt::format("[{}]", fmt::join(v, ", ")); }
    std::string operator()(const core::Tensor& v) const {
      return fmt::format("{}{}", core::name_of(v.dtype), core::to_string(v.shape));
    }
  };
  return std::visit(Printer{}, value);
}

std::string text_of(const Graph& graph, ValueId id) {
  if (id == kAbsent) return "-";
  const Value& value = graph.value(id);
  if (value.step_scalar == StepScalar::total_length) return value.name + "=total_length";
  if (value.step_scalar == StepScalar::last_valid) return value.name + "=last_valid";
  if (!value.constant) return value.name;
  return fmt::format("{}:{}{}", value.name, core::name_of(value.constant->dtype),
                     core::to_string(value.constant->shape));
}

std::string list_of(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<std::string> texts;
  for (const ValueId id : ids) texts.push_back(text_of(graph, id));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string to_string(const Graph& graph) {
  std::string text;
  for (const Node& node : graph.nodes) {
    std::vector<std::string> attributes;
    for (const auto& [name, value] : node.attributes) attributes.push_back(name + "=" + text_of(value));
    text += fmt::format("{}: {}{}{}({}) -> ({}) {{{}}}\n", node.name, node.domain, node.domain.empty() ? "" : ".",
                        node.op_type, list_of(graph, node.inputs), list_of(graph, node.outputs),
                        fmt::join(attributes, ", "));
  }
  return text;
}

}  // namespace gonogo::graph
