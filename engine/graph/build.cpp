#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "engine/graph/graph.hpp"
#include "harness/core/error.hpp"
#include "harness/core/narrow.hpp"

namespace gonogo::graph {
namespace {

class Builder {
 public:
  explicit Builder(const onnx::Model& model) : model_(model) {}
  Graph build();

 private:
  void add_inputs_and_constants();
  void add_nodes();
  void check_defined() const;
  void sort_nodes();
  void add_outputs();
  ValueId id_of(const std::string& name);
  ValueId define(const std::string& name, const std::string& by);
  [[noreturn]] void fail(const std::string& place, const std::string& what, const std::string& remedy = "") const {
    throw core::InputError({graph_.file, place, what, remedy});
  }
  static std::string place_of(const Node& node) {
    return fmt::format("node {} ({}{}{})", node.name, node.domain, node.domain.empty() ? "" : ".", node.op_type);
  }

  const onnx::Model& model_;
  Graph graph_;
  std::unordered_map<std::string, ValueId> ids_;
  std::unordered_map<std::string, std::string> defined_by_;
};

Graph Builder::build() {
  graph_.file = model_.file.string();
  graph_.opsets = model_.opsets;
  graph_.storage.push_back(model_.storage);
  add_inputs_and_constants();
  add_nodes();
  check_defined();
  sort_nodes();
  add_outputs();
  return std::move(graph_);
}

ValueId Builder::id_of(const std::string& name) {
  if (name.empty()) return kAbsent;
  const auto [entry, is_new] = ids_.try_emplace(name, static_cast<ValueId>(graph_.values.size()));
  if (is_new) graph_.values.emplace_back().name = name;
  return entry->second;
}

ValueId Builder::define(const std::string& name, const std::string& by) {
  const ValueId id = id_of(name);
  const auto [entry, is_new] = defined_by_.try_emplace(name, by);
  if (!is_new) fail("tensor " + name, fmt::format("is defined twice: by {} and by {}", entry->second, by));
  return id;
}

void Builder::add_inputs_and_constants() {
  for (const onnx::ValueInfo& input : model_.inputs) {
    const ValueId id = define(input.name, "a graph input");
    Value& value = graph_.values[static_cast<std::size_t>(id)];
    value.dtype = input.dtype;
    value.shape = input.shape;
    value.is_ranked = input.is_ranked;
    value.is_typed = true;
    graph_.inputs.push_back(id);
  }
  for (const onnx::Initializer& initializer : model_.initializers) {
    Value& value = graph_.values[static_cast<std::size_t>(define(initializer.name, "an initialiser"))];
    value.dtype = initializer.tensor.dtype;
    value.is_typed = true;
    value.constant = initializer.tensor;
  }
}

void Builder::add_nodes() {
  graph_.nodes.reserve(model_.nodes.size());
  for (const onnx::Node& from : model_.nodes) {
    Node node{from.name, from.domain, from.op_type, {}, {}, from.attributes};
    for (const std::string& name : from.inputs) node.inputs.push_back(id_of(name));
    for (const std::string& name : from.outputs)
      node.outputs.push_back(name.empty() ? kAbsent : define(name, place_of(node)));
    graph_.nodes.push_back(std::move(node));
  }
}

void Builder::check_defined() const {
  for (const Node& node : graph_.nodes)
    for (std::size_t i = 0; i < node.inputs.size(); ++i)
      if (node.inputs[i] != kAbsent && !defined_by_.contains(graph_.value(node.inputs[i]).name))
        fail(place_of(node),
             fmt::format("input {} wants tensor \"{}\", which nothing defines", i, graph_.value(node.inputs[i]).name),
             "an initialiser or a graph input is missing from the file");
  for (const onnx::ValueInfo& output : model_.outputs)
    if (!defined_by_.contains(output.name))
      fail("output " + output.name, "nothing defines it", "a node is missing from the file");
}

void Builder::sort_nodes() {
  const std::vector<int> producer = producers(graph_);
  const std::size_t count = graph_.nodes.size();
  std::vector<std::vector<std::size_t>> readers(count);
  std::vector<int> waiting(count, 0);
  for (std::size_t n = 0; n < count; ++n)
    for (const ValueId input : graph_.nodes[n].inputs) {
      if (input == kAbsent || producer[static_cast<std::size_t>(input)] < 0) continue;
      readers[static_cast<std::size_t>(producer[static_cast<std::size_t>(input)])].push_back(n);
      ++waiting[n];
    }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;  // lowest file position first
  for (std::size_t n = 0; n < count; ++n)
    if (waiting[n] == 0) ready.push(n);
  std::vector<Node> sorted;
  sorted.reserve(count);
  while (!ready.empty()) {
    const std::size_t n = ready.top();
    ready.pop();
    for (const std::size_t reader : readers[n])
      if (--waiting[reader] == 0) ready.push(reader);
    sorted.push_back(std::move(graph_.nodes[n]));
  }
  if (sorted.size() != count) {
    const auto stuck =
        std::find_if(waiting.begin(), waiting.end(), [](int left) { return left > 0; }) - waiting.begin();
    fail(place_of(graph_.nodes[static_cast<std::size_t>(stuck)]),
         "reads a value that depends on its own output: the graph has a cycle");
  }
  graph_.nodes = std::move(sorted);
}

void Builder::add_outputs() {
  for (const onnx::ValueInfo& output : model_.outputs) {
    const ValueId id = id_of(output.name);
    Value& value = graph_.values[static_cast<std::size_t>(id)];
    if (value.is_typed && value.dtype != output.dtype)
      fail("output " + output.name,
           fmt::format("is declared {} but is {}", core::name_of(output.dtype), core::name_of(value.dtype)));
    value.dtype = output.dtype;
    value.is_typed = true;
    if (!value.is_ranked) value.shape = output.shape;
    value.is_ranked = value.is_ranked || output.is_ranked;
    if (std::find(graph_.outputs.begin(), graph_.outputs.end(), id) != graph_.outputs.end())
      fail("output " + output.name, "is listed twice");
    graph_.outputs.push_back(id);
  }
}

}  // namespace

Graph build(const onnx::Model& model) { return Builder(model).build(); }

std::vector<int> producers(const Graph& graph) {
  std::vector<int> producer(graph.values.size(), -1);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    for (const ValueId output : graph.nodes[n].outputs)
      if (output != kAbsent) producer[static_cast<std::size_t>(output)] = core::narrow<int>(n);
  return producer;
}

std::vector<int> consumer_counts(const Graph& graph) {
  std::vector<int> count(graph.values.size(), 0);
  for (const Node& node : graph.nodes)
    for (const ValueId input : node.inputs)
      if (input != kAbsent) ++count[static_cast<std::size_t>(input)];
  for (const ValueId output : graph.outputs) ++count[static_cast<std::size_t>(output)];
  return count;
}

void check(const Graph& graph) {
  std::vector<char> defined(graph.values.size(), 0);
  const auto at = [&](ValueId id) -> char& {
    GONOGO_EXPECT(id >= 0 && static_cast<std::size_t>(id) < defined.size(),
                  fmt::format("value {} of {}", id, defined.size()));
    return defined[static_cast<std::size_t>(id)];
  };
  for (std::size_t i = 0; i < defined.size(); ++i) {
    const Value& value = graph.values[i];
    if (value.constant || value.step_scalar != StepScalar::none) defined[i] = 1;
  }
  for (const ValueId input : graph.inputs) at(input) = 1;
  for (const Node& node : graph.nodes) {
    for (const ValueId input : node.inputs)
      if (input != kAbsent)
        GONOGO_EXPECT(at(input) != 0,
                      fmt::format("{} reads {} before it is defined", node.name, graph.value(input).name));
    for (const ValueId output : node.outputs) {
      if (output == kAbsent) continue;
      GONOGO_EXPECT(at(output) == 0, fmt::format("{} defines {} again", node.name, graph.value(output).name));
      at(output) = 1;
    }
  }
  for (const ValueId output : graph.outputs) GONOGO_EXPECT(at(output) != 0, "output " + graph.value(output).name);
}

}  // namespace gonogo::graph
