#include <algorithm>
#include <cstring>
#include <deque>
#include <unordered_map>

#include "engine/graph/affine.hpp"
#include "engine/graph/rewrites.hpp"
#include "harness/core/allocation.hpp"

namespace gonogo::graph {
namespace {

class MaskFolder {
 public:
  explicit MaskFolder(Graph& graph) : graph_(graph), is_affine_(graph.nodes.size(), false) {}
  int fold();

 private:
  void seed_mask();
  void spread();
  bool replace(ValueId id, const AffineTensor& tensor);
  const AffineTensor* find(ValueId id);

  Graph& graph_;
  std::unordered_map<ValueId, AffineTensor> known_;      // values that derive from the mask
  std::unordered_map<ValueId, AffineTensor> constants_;  // read on the way
  std::vector<bool> is_affine_;                          // by node
};

int MaskFolder::fold() {
  seed_mask();
  if (known_.empty()) return 0;
  spread();
  // Values at the border: computed here, read by a node that is not, or a graph output.
  int replaced = 0;
  std::vector<ValueId> border = graph_.outputs;
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    if (!is_affine_[n]) border.insert(border.end(), graph_.nodes[n].inputs.begin(), graph_.nodes[n].inputs.end());
  std::sort(border.begin(), border.end());
  border.erase(std::unique(border.begin(), border.end()), border.end());
  std::vector<bool> is_replaced(graph_.values.size(), false);
  for (const ValueId id : border) {
    const auto found = known_.find(id);
    if (id == kAbsent || found == known_.end() || !replace(id, found->second)) continue;
    is_replaced[static_cast<std::size_t>(id)] = true;
    ++replaced;
  }
  // Their producers go, and what only those read.
  std::vector<int> readers = consumer_counts(graph_);
  std::vector<bool> is_dropped(graph_.nodes.size(), false);
  for (std::size_t n = graph_.nodes.size(); n-- > 0;) {
    if (!is_affine_[n]) continue;
    const auto output = static_cast<std::size_t>(graph_.nodes[n].outputs.front());
    if (!is_replaced[output] && readers[output] > 0) continue;
    is_dropped[n] = true;
    for (const ValueId input : graph_.nodes[n].inputs)
      if (input != kAbsent) --readers[static_cast<std::size_t>(input)];
  }
  remove_nodes(graph_, is_dropped);
  return replaced;
}

void MaskFolder::seed_mask() {
  for (const ValueId id : graph_.inputs) {
    const Value& value = graph_.value(id);
    const bool is_integer = value.dtype == core::DType::i64 || value.dtype == core::DType::i32;
    if (value.name == "attention_mask" && is_integer && value.is_ranked && value.shape.size() == 2)
      known_[id] = AffineTensor{value.dtype, {}, {}, true};
  }
}

const AffineTensor* MaskFolder::find(ValueId id) {
  if (const auto found = known_.find(id); found != known_.end()) return &found->second;
  if (const auto found = constants_.find(id); found != constants_.end()) return &found->second;
  const Value& value = graph_.value(id);
  if (!value.constant) return nullptr;
  auto constant = affine_constant(*value.constant);
  return constant ? &constants_.emplace(id, std::move(*constant)).first->second : nullptr;
}

void MaskFolder::spread() {
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
    const Node& node = graph_.nodes[n];
    std::vector<const AffineTensor*> inputs;
    bool is_ours = false;
    bool is_known = true;
    for (const ValueId input : node.inputs) {
      inputs.push_back(input == kAbsent ? nullptr : find(input));
      is_known = is_known && (input == kAbsent || inputs.back() != nullptr);
      is_ours = is_ours || known_.contains(input);
    }
    if (!is_ours || !is_known) continue;
    auto result = affine_result(node, inputs);
    if (!result || node.outputs.front() == kAbsent) continue;
    known_[node.outputs.front()] = std::move(*result);
    is_affine_[n] = true;
  }
}

bool MaskFolder::replace(ValueId id, const AffineTensor& tensor) {
  if (tensor.is_mask) return false;
  Value& value = graph_.values[static_cast<std::size_t>(id)];
  const bool is_fixed =
      std::all_of(tensor.elements.begin(), tensor.elements.end(), [](const Affine& a) { return a.scale == 0; });
  StepScalar scalar = StepScalar::none;
  if (tensor.elements.size() == 1 && tensor.elements[0] == Affine{1, 0}) scalar = StepScalar::total_length;
  if (tensor.elements.size() == 1 && tensor.elements[0] == Affine{1, -1}) scalar = StepScalar::last_valid;
  if (scalar == StepScalar::none && !is_fixed) return false;
  value.dtype = tensor.dtype;
  value.is_typed = true;
  value.shape.clear();
  for (const std::int64_t extent : tensor.shape) value.shape.push_back({extent, ""});
  value.is_ranked = true;
  value.step_scalar = scalar;
  if (scalar != StepScalar::none) return true;

  const auto buffer =
      std::make_shared<core::HostBuffer>(std::max<std::size_t>(8, tensor.elements.size() * sizeof(std::int64_t)));
  core::Tensor constant{tensor.dtype, tensor.shape, buffer->data()};
  for (std::size_t i = 0; i < tensor.elements.size(); ++i) {
    const std::int64_t number = tensor.elements[i].offset;
    if (tensor.dtype == core::DType::i64)
      constant.as<std::int64_t>()[i] = number;
    else
      constant.as<std::int32_t>()[i] = static_cast<std::int32_t>(number);
  }
  value.constant = constant;
  graph_.storage.push_back(buffer);
  return true;
}

}  // namespace

int fold_mask(Graph& graph) { return MaskFolder(graph).fold(); }

}  // namespace gonogo::graph
