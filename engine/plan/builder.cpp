#include "engine/plan/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/graph/node_runner.hpp"
#include "engine/plan/rows.hpp"
#include "harness/core/error.hpp"

namespace gonogo::engine {

using graph::kAbsent;
using graph::ValueId;

namespace {

std::size_t index_of(ValueId id) { return static_cast<std::size_t>(id); }

/// The same value cut to its last row: [1, rows, ...] becomes [1, 1, ...].
ops::ValueFacts last_row_of(ops::ValueFacts facts) {
  facts.shape.at(1) = 1;
  return facts;
}

}  // namespace

PlanBuilder::PlanBuilder(Plan& plan)
    : plan_(plan),
      facts_(initial_facts(graph(), plan.program_->bindings, plan.request_.size)),
      homes_(graph().values.size()),
      last_row_(graph().nodes.size(), false),
      producer_(graph::producers(graph())),
      outputs_(graph().nodes.size()),
      output_homes_(graph().nodes.size()) {}

void PlanBuilder::build() {
  infer_all();
  if (plan_.request_.rows == capture::Rows::last && plan_.request_.size.width > 1) narrow_to_last_row();
  place_inputs();
  for (std::size_t n = 0; n < graph().nodes.size(); ++n) place_step(n);
  keep_outputs();
  lay_out_arena();
  finish_steps();
}

bool PlanBuilder::takes_last_row(std::size_t n, ValueId id) const {
  if (!last_row_[n] || id == kAbsent || graph().value(id).constant) return false;
  const int producer = producer_[index_of(id)];
  return producer < 0 || !last_row_[static_cast<std::size_t>(producer)];
}

ops::ValueFacts PlanBuilder::facts_for(std::size_t n, ValueId id) const {
  if (id == kAbsent) return graph::absent_facts();
  const ops::ValueFacts& facts = facts_[index_of(id)];
  return takes_last_row(n, id) ? last_row_of(facts) : facts;
}

std::vector<ops::ValueFacts> PlanBuilder::input_facts(std::size_t n) const {
  std::vector<ops::ValueFacts> facts;
  for (const ValueId id : node(n).inputs) facts.push_back(facts_for(n, id));
  return facts;
}

void PlanBuilder::infer(std::size_t n) {
  outputs_[n] = plan_.program_->ops[n]->infer(input_facts(n));
  outputs_[n].resize(node(n).outputs.size());
  for (std::size_t i = 0; i < outputs_[n].size(); ++i)
    if (node(n).outputs[i] != kAbsent) facts_[index_of(node(n).outputs[i])] = outputs_[n][i];
}

void PlanBuilder::infer_all() {
  for (std::size_t n = 0; n < graph().nodes.size(); ++n) infer(n);
}

void PlanBuilder::narrow_to_last_row() {
  const std::int64_t width = plan_.request_.size.width;
  last_row_ = last_row_nodes(graph(), plan_.program_->bindings.logits, [&](ValueId id) {
    const core::Shape& shape = facts_[index_of(id)].shape;
    return shape.size() >= 2 && shape[0] == 1 && shape[1] == width;
  });
  for (std::size_t n = 0; n < graph().nodes.size(); ++n)
    if (last_row_[n]) infer(n);
}

PlanBuilder::Home PlanBuilder::new_buffer(std::size_t bytes, int first, int last) {
  extents_.push_back({bytes, first, last});
  return {Storage::arena, extents_.size() - 1, 0, nullptr};
}

void PlanBuilder::use(const Home& home, int step) {
  if (home.storage == Storage::arena) extents_[home.buffer].last = std::max(extents_[home.buffer].last, step);
}

void PlanBuilder::place_inputs() {
  const Bindings& bindings = plan_.program_->bindings;
  const int end = static_cast<int>(graph().nodes.size());
  const auto keep = [&](ValueId id) {
    const ops::ValueFacts& facts = facts_[index_of(id)];
    homes_[index_of(id)] = new_buffer(core::bytes_of(facts.dtype, core::count_of(facts.shape)), -1, end);
  };
  for (std::size_t id = 0; id < graph().values.size(); ++id)
    if (graph().values[id].constant) homes_[id] = {Storage::constant, 0, 0, graph().values[id].constant->data};
  keep(bindings.ids);
  if (bindings.positions != kAbsent) keep(bindings.positions);
  for (const ScalarBinding& scalar : bindings.scalars) keep(scalar.value);
  for (std::size_t i = 0; i < bindings.caches.size(); ++i)
    homes_[index_of(bindings.caches[i].past)] = {Storage::cache, i, 0, nullptr};
}

PlanBuilder::Home PlanBuilder::home_for(std::size_t n, ValueId id) const {
  if (id == kAbsent) return {};
  Home home = homes_[index_of(id)];
  GONOGO_EXPECT(home.storage != Storage::absent, "no bytes for " + graph().value(id).name);
  if (takes_last_row(n, id)) {
    const ops::ValueFacts& facts = facts_[index_of(id)];
    const std::int64_t rows = facts.shape.at(1);
    home.offset += core::bytes_of(facts.dtype, core::count_of(facts.shape) / rows) * static_cast<std::size_t>(rows - 1);
  }
  return home;
}

void PlanBuilder::place_step(std::size_t n) {
  for (const ValueId id : node(n).inputs) use(home_for(n, id), static_cast<int>(n));
  for (std::size_t i = 0; i < node(n).outputs.size(); ++i) {
    const Home home = place_output(n, i);
    output_homes_[n].push_back(home);
    if (const ValueId id = node(n).outputs[i]; id != kAbsent) homes_[index_of(id)] = home;
  }
}

PlanBuilder::Home PlanBuilder::place_output(std::size_t n, std::size_t index) {
  const ops::Op& op = *plan_.program_->ops[n];
  const ops::ValueFacts& facts = outputs_[n][index];
  if (op.is_view() && index == 0) return home_for(n, node(n).inputs.at(0));
  for (const auto& [in, out] : op.in_place()) {
    if (static_cast<std::size_t>(out) != index || node(n).outputs[index] == kAbsent) continue;
    const ops::ValueFacts from = facts_for(n, node(n).inputs.at(static_cast<std::size_t>(in)));
    const Home home = home_for(n, node(n).inputs[static_cast<std::size_t>(in)]);
    GONOGO_EXPECT(home.storage == Storage::cache && from.shape == facts.shape && from.dtype == facts.dtype,
                  fmt::format("{}: updates {} in place as {}", node(n).name, core::to_string(from.shape),
                              core::to_string(facts.shape)));
    return home;
  }
  return new_buffer(core::bytes_of(facts.dtype, core::count_of(facts.shape)), static_cast<int>(n), static_cast<int>(n));
}

void PlanBuilder::keep_outputs() {
  for (const ValueId id : graph().outputs) use(homes_[index_of(id)], static_cast<int>(graph().nodes.size()));
}

void PlanBuilder::lay_out_arena() {
  const Layout layout = lay_out(extents_);
  plan_.arena_bytes_ = layout.bytes;
  const auto settle = [&](Home& home) {
    if (home.storage == Storage::arena) home.offset += layout.offsets[home.buffer];
  };
  for (Home& home : homes_) settle(home);
  for (auto& homes : output_homes_)
    for (Home& home : homes) settle(home);
}

Operand PlanBuilder::operand(const ops::ValueFacts& facts, const Home& home) const {
  Operand result{home.storage, facts.dtype, facts.shape, home.offset, nullptr};
  if (home.storage == Storage::cache) result.at = home.buffer;
  if (home.storage == Storage::constant) {
    result.at = 0;
    result.constant = home.constant + home.offset;
  }
  return result;
}

void PlanBuilder::choose_kernel(std::size_t n, PlanStep& step) const {
  const std::vector<ops::ValueFacts> facts = step.input_facts();
  if (const KernelSource* source = plan_.program_->kernels.get()) {
    StepKernelFacts chosen = source->choose(*plan_.program_, n, {facts, outputs_[n]});
    step.kernel = std::move(chosen.kernel);
    step.workspace_bytes = chosen.workspace_bytes;
    step.capture = std::move(chosen.capture);
    return;
  }
  step.workspace_bytes = step.op->workspace_bytes(facts, plan_.request_.threads);
  step.kernel = step.op->kernel(facts);
  step.capture = step.op->capture(facts);
}

void PlanBuilder::finish_steps() {
  const Bindings& bindings = plan_.program_->bindings;
  const auto whole = [&](ValueId id) { return operand(facts_[index_of(id)], homes_[index_of(id)]); };
  for (std::size_t n = 0; n < graph().nodes.size(); ++n) {
    PlanStep step;
    step.node = &node(n);
    step.index = n;
    step.op = plan_.program_->ops[n].get();
    for (const ValueId id : node(n).inputs) step.inputs.push_back(operand(facts_for(n, id), home_for(n, id)));
    for (std::size_t i = 0; i < outputs_[n].size(); ++i)
      step.outputs.push_back(operand(outputs_[n][i], output_homes_[n][i]));
    // A view moves nothing: its output is its input's bytes.
    if (step.op->is_view()) continue;
    choose_kernel(n, step);
    plan_.steps_.push_back(std::move(step));
  }
  plan_.ids_ = whole(bindings.ids);
  if (bindings.positions != kAbsent) plan_.positions_ = whole(bindings.positions);
  for (const ScalarBinding& scalar : bindings.scalars) plan_.scalars_.push_back({whole(scalar.value), scalar.scalar});
  plan_.logits_ = whole(bindings.logits);
}

}  // namespace gonogo::engine
