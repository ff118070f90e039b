#include "engine/plan/bindings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/error.hpp"

namespace gonogo::engine {
namespace {

using graph::kAbsent;
using graph::ValueId;

/// One use of a value as a node input.
struct Use {
  const graph::Node* node = nullptr;
  std::size_t index = 0;
};

class Finder {
 public:
  explicit Finder(const graph::Graph& graph) : graph_(graph), uses_(graph.values.size()) {
    for (const graph::Node& node : graph.nodes)
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        if (node.inputs[i] != kAbsent) uses_[static_cast<std::size_t>(node.inputs[i])].push_back({&node, i});
  }

  Bindings find() {
    find_caches();
    for (const ValueId input : graph_.inputs) bind_input(input);
    if (result_.ids == kAbsent) fail("inputs", "none carries token ids", "a decoder with an input_ids input is wanted");
    for (std::size_t id = 0; id < graph_.values.size(); ++id)
      if (const auto scalar = graph_.values[id].step_scalar; scalar != graph::StepScalar::none && !uses_[id].empty())
        result_.scalars.push_back({static_cast<ValueId>(id), scalar});
    find_logits();
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& place, const std::string& what, const std::string& remedy = "") const {
    throw core::InputError({graph_.file, place, what, remedy});
  }
  [[nodiscard]] const std::vector<Use>& uses(ValueId id) const { return uses_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] bool is_input(ValueId id) const { return contains(graph_.inputs, id); }
  static bool contains(const std::vector<ValueId>& ids, ValueId id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  }

  void find_caches() {
    for (const graph::Node& node : graph_.nodes) {
      if (node.op_type != "GroupQueryAttention") continue;
      for (const std::size_t k : {std::size_t{0}, std::size_t{1}}) {
        const std::size_t in = 3 + k;
        const std::size_t out = 1 + k;
        const ValueId past = in < node.inputs.size() ? node.inputs[in] : kAbsent;
        const ValueId present = out < node.outputs.size() ? node.outputs[out] : kAbsent;
        add_cache(node, past, present);
      }
    }
    if (result_.caches.empty())
      fail("graph", "has no GroupQueryAttention: nothing keeps keys and values between steps");
  }

  void add_cache(const graph::Node& node, ValueId past, ValueId present) {
    const std::string place = "node " + node.name;
    if (past == kAbsent || !is_input(past))
      fail(place, "past keys and values: wanted graph inputs, got none or a computed value");
    if (present == kAbsent || !contains(graph_.outputs, present))
      fail(place, "present keys and values: wanted graph outputs, got none");
    const graph::Value& value = graph_.value(past);
    if (uses(past).size() != 1)
      fail("input " + value.name, fmt::format("readers: wanted 1, got {}", uses(past).size()));
    if (value.shape.size() != 4 || value.shape[1].value <= 0 || value.shape[3].value <= 0)
      fail("input " + value.name, "shape: wanted [batch, heads, length, dim] with heads and dim fixed, got another");
    if (value.dtype != core::DType::f32 && value.dtype != core::DType::f16)
      fail("input " + value.name,
           fmt::format("type, one of: wanted float32, float16, got {}", core::name_of(value.dtype)));
    result_.caches.push_back({past, present, {value.dtype, value.shape[1].value, value.shape[3].value}});
  }

  [[nodiscard]] bool is_cache(ValueId id) const {
    return std::any_of(result_.caches.begin(), result_.caches.end(),
                       [&](const CacheBinding& cache) { return cache.past == id; });
  }

  /// An embedding's indices.
  [[nodiscard]] bool feeds_embedding(ValueId id) const {
    return std::any_of(uses(id).begin(), uses(id).end(), [](const Use& use) {
      return use.index == 1 && (use.node->op_type == "Gather" || use.node->op_type == "GatherBlockQuantized");
    });
  }
  [[nodiscard]] bool feeds_positions(ValueId id) const {
    return std::any_of(uses(id).begin(), uses(id).end(), [](const Use& use) {
      return (use.node->op_type == "GroupQueryAttention" && use.index == 9) ||
             (use.node->op_type == "RotaryEmbedding" && (use.index == 1 || use.index == 3));
    });
  }

  void bind_input(ValueId id) {
    if (is_cache(id)) return;
    const graph::Value& value = graph_.value(id);
    if (value.name == "attention_mask") {
      if (!uses(id).empty())
        fail("input attention_mask",
             fmt::format("read by node {} in a way that is not a length", uses(id).front().node->name),
             "this engine runs one unpadded sequence and supports masks that only count tokens");
      bind(result_.mask, id);
    } else if (value.name == "position_ids" || feeds_positions(id)) {
      bind(result_.positions, id);
    } else if (value.name == "input_ids" || feeds_embedding(id)) {
      bind(result_.ids, id);
    } else if (!uses(id).empty()) {
      fail("input " + value.name, "is none that this engine feeds",
           "input_ids, attention_mask, position_ids and past keys and values are");
    }
  }

  void bind(ValueId& slot, ValueId id) const {
    const graph::Value& value = graph_.value(id);
    if (slot != kAbsent)
      fail("input " + value.name, fmt::format("has the same purpose as input {}", graph_.value(slot).name));
    if (value.dtype != core::DType::i64 && value.dtype != core::DType::i32)
      fail("input " + value.name, fmt::format("type, one of: wanted int64, int32, got {}", core::name_of(value.dtype)));
    slot = id;
  }

  void find_logits() {
    std::vector<ValueId> others;
    for (const ValueId output : graph_.outputs)
      if (std::none_of(result_.caches.begin(), result_.caches.end(),
                       [&](const CacheBinding& c) { return c.present == output; }))
        others.push_back(output);
    const auto named =
        std::find_if(others.begin(), others.end(), [&](ValueId id) { return graph_.value(id).name == "logits"; });
    if (named != others.end())
      result_.logits = *named;
    else if (others.size() == 1)
      result_.logits = others.front();
    else
      fail("outputs",
           fmt::format("logits: wanted one output besides the cache or one named logits, got {}", others.size()));
  }

  const graph::Graph& graph_;
  std::vector<std::vector<Use>> uses_;
  Bindings result_;
};

}  // namespace

Bindings find_bindings(const graph::Graph& graph) { return Finder(graph).find(); }

}  // namespace gonogo::engine
