#include "engine/session/engine_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/capture/census.hpp"
#include "engine/kv/bucket.hpp"
#include "harness/core/error.hpp"
#include "harness/core/trace.hpp"

namespace gonogo::engine {
namespace {

std::int64_t context_for(const LoadedModel& model, std::int64_t wanted) {
  if (wanted < 0) throw core::UsageError(fmt::format("context: wanted at least 1 token, got {}", wanted));
  if (wanted > model.context())
    throw core::UsageError(fmt::format("context of {} tokens: the model holds at most {}", wanted, model.context()));
  return wanted == 0 ? model.context() : wanted;
}

std::vector<KvShape> cache_shapes(const Program& program) {
  std::vector<KvShape> shapes;
  for (const CacheBinding& cache : program.bindings.caches) shapes.push_back(cache.shape);
  return shapes;
}

StepKind kind_of(capture::Outcome outcome) {
  switch (outcome) {
    case capture::Outcome::warm_up:
      return StepKind::warm_up;
    case capture::Outcome::capture:
      return StepKind::capture;
    case capture::Outcome::replay:
      return StepKind::replay;
    case capture::Outcome::eager:
      break;
  }
  return StepKind::eager;
}

}  // namespace

EngineSession::EngineSession(std::shared_ptr<const LoadedModel> model, const SessionOptions& options, Backend backend)
    : model_(std::move(model)),
      options_(options),
      backend_(std::move(backend)),
      program_(
          make_program(model_->rewritten(options.stack), {options.stack, options.int8_activations, backend_.kernels})),
      cache_(cache_shapes(*program_), context_for(*model_, options.context), backend_.storage(cache_shapes(*program_))),
      executor_(backend_.executor(program_, cache_)),
      machine_(*executor_),
      facts_(facts_of(*model_, plan_of_width(1))) {
  facts_.context = cache_.context();
}

const ModelFacts& EngineSession::model() const {
  if (facts_.weights_hash.empty()) facts_.weights_hash = model_->weights_hash();
  return facts_;
}

void EngineSession::check(std::span<const std::int64_t> ids) const {
  if (ids.empty()) throw core::UsageError("a forward wants at least 1 token id, got 0");
  const auto bad = std::find_if(ids.begin(), ids.end(), [&](std::int64_t id) { return id < 0 || id >= facts_.vocab; });
  if (bad != ids.end())
    throw core::UsageError(fmt::format("token id {} at position {}: the vocabulary holds ids 0 to {}", *bad,
                                       length() + (bad - ids.begin()), facts_.vocab - 1));
  const auto rows = static_cast<std::int64_t>(ids.size());
  if (rows > cache_.context() - length())
    throw core::UsageError(fmt::format("KV cache full: {} tokens after {} make {}, the context holds {}", rows,
                                       length(), length() + rows, cache_.context()));
}

capture::Key EngineSession::key_for(std::int64_t width, Wanted wanted) const {
  // One row is all rows: both wants share a plan and a graph.
  const bool all = wants_all(wanted) || width == 1;
  return {cache_.capacity(), width, all ? capture::Rows::all : capture::Rows::last};
}

void EngineSession::check_rows(const capture::Key& key, Wanted wanted) const {
  const std::int64_t got = executor_->plan(key).logits().count() / facts_.vocab;
  if (wants_all(wanted) && got < key.width)
    throw core::UsageError(
        fmt::format("{} rows of logits wanted: this graph computes {} for {} tokens", key.width, got, key.width));
}

ForwardResult EngineSession::forward(std::span<const std::int64_t> ids, Mode mode, Wanted wanted) {
  const std::int64_t begin = core::steady_ns();
  const core::AllocationCounts allocated = executor_->allocations();
  check(ids);
  const auto rows = static_cast<std::int64_t>(ids.size());
  reserve(length() + rows);
  const capture::Key key = key_for(rows, wanted);
  check_rows(key, wanted);
  executor_->stage(key, {ids, length()}, mode);
  executor_->begin();
  ForwardResult result;
  if (mode == Mode::eager) {
    executor_->run_eager(key);
  } else {
    captured_rows_[key.width] = key.rows;
    result.kind = kind_of(machine_.forward(key));
  }
  const Readback got = executor_->read(key, mode, wanted);
  cache_.advance(rows);
  result.logits = got.logits;
  result.argmax = got.argmax;
  result.all_finite = got.all_finite;
  result.allocations = executor_->allocations() - allocated;
  result.times = executor_->times();
  result.times.host_ns = core::steady_ns() - begin - result.times.gpu_ns - result.times.d2h_ns;
  return result;
}

void EngineSession::reserve(std::int64_t length) {
  const std::int64_t generation = cache_.generation();
  cache_.reserve(length);
  // Graphs and plans are bound to the buffers and the capacity that are gone.
  if (cache_.generation() != generation) drop_graphs();
}

void EngineSession::drop_graphs() {
  machine_.invalidate();  // recordings first: they are bound to the executor's buffers
  executor_->clear();
}

CaptureCounters EngineSession::counters() const {
  const capture::Counters& c = machine_.counters();
  return {c.steps, c.warm_ups, c.captures, c.replays, c.declines, c.invalidations, cache_.growths()};
}

CaptureState EngineSession::capture_state(std::int64_t width) const {
  const auto rows = captured_rows_.find(width);
  const capture::Key key{cache_.capacity(), width, rows == captured_rows_.end() ? capture::Rows::all : rows->second};
  const capture::Entry& entry = machine_.entry(key);
  CaptureState state;
  state.state = name_of(entry.state);
  state.declined = entry.declined;
  if (entry.state != capture::State::ready) return state;
  const capture::Census census = capture::census(entry, executor_->steps(key));
  state.segments = census.segments;
  state.seam_runs = census.seam_runs;
  state.graph_nodes = census.recorded_steps;
  state.launches = census.launches();
  for (const capture::SeamCount& seam : census.by_op)
    state.seams.push_back({seam.op, seam.reason, seam.kernel, seam.count});
  state.capture_allocations = entry.capture_allocations;
  return state;
}

const Plan& EngineSession::plan_of_width(std::int64_t width) const {
  if (width < 1) throw core::UsageError(fmt::format("width: wanted at least 1 row, got {}", width));
  return executor_->plan({std::max(cache_.capacity(), bucket_for(width, cache_.context())), width, capture::Rows::all});
}

PlanFacts EngineSession::plan(std::int64_t width) const {
  const Plan& plan = plan_of_width(width);
  PlanFacts facts;
  facts.hash = plan.hash();
  facts.width = width;
  facts.steps = static_cast<int>(plan.steps().size());
  facts.arena_bytes = static_cast<std::int64_t>(plan.arena_bytes());
  facts.rewrites = program_->source->rewrites;
  facts.work = plan.work(0);
  facts.text = plan.text();
  std::map<std::pair<std::string, std::string>, int> counts;
  for (const PlanStep& step : plan.steps()) ++counts[{step.node->op_type, step.kernel}];
  for (const auto& [what, count] : counts) facts.kernels.push_back({what.first, what.second, count});
  return facts;
}

core::Work EngineSession::work(std::int64_t width, std::int64_t past) const {
  if (past < 0 || width < 1 || past + width > cache_.context())
    throw core::UsageError(
        fmt::format("work of {} rows after {} tokens: the context holds {}", width, past, cache_.context()));
  return plan_of_width(width).work(past);
}

std::vector<std::int64_t> EngineSession::time_steps(std::span<const std::int64_t> ids) {
  check(ids);
  const auto rows = static_cast<std::int64_t>(ids.size());
  reserve(length() + rows);
  const capture::Key key = key_for(rows, Wanted::all_ids);
  executor_->stage(key, {ids, length()}, Mode::eager);
  std::vector<std::int64_t> times = executor_->time_steps(key);
  if (!times.empty()) cache_.advance(rows);
  return times;
}

std::vector<StepCost> EngineSession::step_costs(std::int64_t width, std::int64_t past) const {
  const Plan& plan = plan_of_width(width);
  const std::vector<core::Work> works = plan.step_work(past);
  std::vector<StepCost> costs;
  for (std::size_t i = 0; i < works.size(); ++i) {
    const PlanStep& step = plan.steps()[i];
    costs.push_back({step.node->name, step.node->op_type, step.kernel, works[i]});
  }
  return costs;
}

std::shared_ptr<const LoadedModel> load_model(const ModelSource& source) {
  return std::make_shared<const LoadedModel>(source);
}

}  // namespace gonogo::engine
