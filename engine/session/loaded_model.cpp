#include "engine/session/loaded_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/levers/choice.hpp"
#include "engine/onnx/genai_config.hpp"
#include "engine/onnx/weights_hash.hpp"
#include "harness/core/error.hpp"

namespace gonogo::engine {
namespace {

std::int64_t bytes_of_constants(const onnx::Model& model) {
  std::int64_t bytes = 0;
  for (const onnx::Initializer& initializer : model.initializers)
    bytes += static_cast<std::int64_t>(initializer.tensor.bytes());
  return bytes;
}

std::int64_t integer_or(const graph::Node& node, std::string_view name, std::int64_t absent) {
  const auto it = node.attributes.find(name);
  const auto* value = it == node.attributes.end() ? nullptr : std::get_if<std::int64_t>(&it->second);
  return value == nullptr ? absent : *value;
}

}  // namespace

LoadedModel::LoadedModel(const ModelSource& source)
    : name_(source.name),
      model_(onnx::load(source.file)),
      graph_(graph::build(model_)),
      weight_bytes_(bytes_of_constants(model_)) {
  const std::optional<std::int64_t> configured = onnx::read_genai_config(source.file.parent_path()).context_length;
  const std::optional<std::int64_t> rows = rotary_rows(graph_);
  if (configured || rows) context_ = std::min(configured.value_or(*rows), rows.value_or(*configured));
  if (context_ < 1)
    throw core::InputError({source.file.string(), "context", fmt::format("wanted at least 1 token, got {}", context_),
                            "see model.context_length of genai_config.json and the rotary tables"});
}

const std::string& LoadedModel::weights_hash() const {
  const std::lock_guard lock(mutex_);
  if (hash_.empty()) hash_ = onnx::weights_hash(model_, kernels::available_threads());
  return hash_;
}

std::shared_ptr<const RewrittenGraph> LoadedModel::rewritten(const Stack& stack) const {
  std::vector<std::string> enabled;
  for (const graph::Rewrite& known : graph::rewrites())
    if (rewrite_enabled(stack, known.name)) enabled.emplace_back(known.name);
  const std::lock_guard lock(mutex_);
  std::weak_ptr<const RewrittenGraph>& cached = rewritten_[enabled];
  auto result = cached.lock();
  if (result == nullptr) cached = result = rewrite_for(graph_, stack);
  return result;
}

std::optional<std::int64_t> rotary_rows(const graph::Graph& graph) {
  std::optional<std::int64_t> rows;
  const auto see = [&](const graph::Node& node, std::size_t index) {
    if (index >= node.inputs.size() || node.inputs[index] == graph::kAbsent) return;
    const std::optional<core::Tensor>& table = graph.value(node.inputs[index]).constant;
    if (!table || !core::is_float(table->dtype) || table->shape.size() != 2) return;
    rows = std::min(rows.value_or(table->shape[0]), table->shape[0]);
  };
  for (const graph::Node& node : graph.nodes) {
    if (node.op_type == "GroupQueryAttention" && integer_or(node, "do_rotary", 0) == 1) see(node, 7);
    if (node.op_type == "RotaryEmbedding") see(node, node.domain.empty() ? 1 : 2);
  }
  return rows;
}

ModelFacts facts_of(const LoadedModel& model, const Plan& plan) {
  ModelFacts facts;
  facts.name = model.name();
  facts.context = model.context();
  facts.weight_bytes = model.weight_bytes();
  facts.vocab = plan.logits().shape.back();
  facts.io_dtype = core::name_of(plan.logits().dtype);
  facts.step = plan.work(0);
  const Bindings& bindings = plan.program().bindings;
  facts.kv_heads = bindings.caches.front().shape.heads;
  facts.head_dim = bindings.caches.front().shape.dim;
  for (const PlanStep& step : plan.steps()) {
    if (step.node->op_type == "GroupQueryAttention") {
      ++facts.layers;
      if (facts.heads == 0) facts.heads = integer_or(*step.node, "num_heads", 0);
    }
    // The embedding turns ids into rows of the hidden size.
    const bool reads_ids =
        std::find(step.node->inputs.begin(), step.node->inputs.end(), bindings.ids) != step.node->inputs.end();
    if (reads_ids && facts.hidden == 0) facts.hidden = step.outputs.front().shape.back();
  }
  return facts;
}

}  // namespace gonogo::engine
