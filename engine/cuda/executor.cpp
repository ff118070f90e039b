#include "engine/cuda/executor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/cuda/kernel_source.hpp"
#include "harness/core/cuda/copy.hpp"
#include "harness/core/cuda/graph.hpp"
#include "harness/core/error.hpp"
#include "harness/core/trace.hpp"
#include "kernels/stream/cuda/stream.hpp"

namespace gonogo::engine::cuda {
namespace {

constexpr std::size_t kAlignment = 256;

class GraphSegment final : public capture::Segment {
 public:
  GraphSegment(core::GraphExec exec, core::StreamRef stream) : exec_(std::move(exec)), stream_(stream) {}
  void replay() override {
    const core::ForbidDeviceAllocation forbid;
    exec_.launch(stream_);
  }

 private:
  core::GraphExec exec_;
  core::StreamRef stream_;
};

std::int64_t ns_between(core::EventRef begin, core::EventRef end) {
  return std::llround(static_cast<double>(core::elapsed_ms(begin, end)) * 1e6);
}

}  // namespace

CudaExecutor::CudaExecutor(std::shared_ptr<DeviceContext> context, std::shared_ptr<const Program> program,
                           const KvCache& cache)
    : context_(std::move(context)),
      stream_(context_->stream),
      program_(std::move(program)),
      cache_(cache),
      weights_(context_->weights) {}

void CudaExecutor::Memory::reserve(const Plan& plan) {
  const auto grow = [](core::DeviceBuffer& buffer, std::size_t bytes) {
    if (buffer.size() >= bytes) return;
    buffer = core::DeviceBuffer();  // freed first: the two need not fit side by side
    buffer = core::DeviceBuffer(bytes);
  };
  grow(arena, std::max(plan.arena_bytes(), kAlignment));
  grow(workspace, std::max(plan.workspace_bytes(), kAlignment));
}

CudaExecutor::Instance& CudaExecutor::instance(const capture::Key& key) {
  auto it = instances_.find(key);
  if (it == instances_.end()) {
    Instance made;
    made.plan = std::make_unique<const Plan>(program_, PlanRequest{{key.width, key.bucket}, key.rows, {1}});
    for (const PlanStep& step : made.plan->steps()) made.steps.push_back({step.node->op_type, step.kernel});
    it = instances_.emplace(key, std::move(made)).first;
  }
  return it->second;
}

const Plan& CudaExecutor::plan(const capture::Key& key) { return *instance(key).plan; }

void CudaExecutor::prepare(Instance& made) {
  if (made.inputs) return;
  std::vector<std::unique_ptr<DeviceOp>> ops;
  std::size_t state = 0;
  std::vector<std::size_t> state_at;
  for (const PlanStep& step : made.plan->steps()) {
    std::vector<ops::ValueFacts> outputs;
    for (const Operand& operand : step.outputs) outputs.push_back(operand.facts());
    const std::vector<ops::ValueFacts> inputs = step.input_facts();
    ops.push_back(lower_step(*program_, step.index, {inputs, outputs}));
    ops.back()->prepare(weights_);
    for (std::size_t i = 0; i < step.inputs.size(); ++i)
      if (const Operand& operand = step.inputs[i]; operand.storage == Storage::constant && !ops.back()->takes(i))
        (void)weights_.upload(operand.constant, core::bytes_of(operand.dtype, operand.count()));
    state_at.push_back(state);
    state += (ops.back()->state_bytes() + kAlignment - 1) / kAlignment * kAlignment;
  }
  if (state > 0) {
    made.state = core::DeviceBuffer(state);
    core::fill_bytes(made.state.data(), 0, state, stream_);
  }
  made.ops = std::move(ops);
  made.state_at = std::move(state_at);
  made.inputs.emplace(*made.plan);
}

CudaExecutor::Memory& CudaExecutor::memory_of(Instance& of, Mode mode) {
  if (mode == Mode::eager) return eager_;
  GONOGO_EXPECT(of.memory.has_value(), "stage() comes first");
  return *of.memory;
}

core::Tensor CudaExecutor::bind(const Instance& of, const Operand& operand, const Memory& memory) const {
  core::Tensor tensor{operand.dtype, operand.shape, nullptr, core::MemorySpace::device};
  switch (operand.storage) {
    case Storage::absent:
      break;
    case Storage::constant:
      tensor.data = weights_.find(operand.constant);  // null where the operator has taken it over
      break;
    case Storage::arena:
      tensor.data = of.inputs->find(operand.at);
      if (tensor.data == nullptr) tensor.data = memory.arena.data() + operand.at;
      break;
    case Storage::cache:
      tensor.data = cache_.tensor(operand.at).data;
      break;
  }
  return tensor;
}

void CudaExecutor::run_step(Instance& of, std::size_t step, const Memory& memory) {
  const PlanStep& planned = of.plan->steps()[step];
  const core::Span span(planned.node->name);
  std::vector<core::Tensor> inputs, outputs;
  for (const Operand& operand : planned.inputs) inputs.push_back(bind(of, operand, memory));
  for (const Operand& operand : planned.outputs) outputs.push_back(bind(of, operand, memory));
  std::byte* state = of.ops[step]->state_bytes() == 0 ? nullptr : of.state.data() + of.state_at[step];
  of.ops[step]->run({inputs, outputs, memory.workspace.data(), state}, stream_);
}

void CudaExecutor::stage(const capture::Key& key, const StepInputs& inputs, Mode mode) {
  Instance& staged = instance(key);
  prepare(staged);
  if (mode == Mode::captured && !staged.memory) staged.memory.emplace();
  Memory& memory = memory_of(staged, mode);
  memory.reserve(*staged.plan);
  readback_.reserve(bind(staged, staged.plan->logits(), memory));
  staged.inputs->write(*staged.plan, inputs, stream_);
}

void CudaExecutor::begin() { begun_.ref().record(stream_); }

void CudaExecutor::run_eager(const capture::Key& key) {
  Instance& running = instance(key);
  for (std::size_t i = 0; i < running.ops.size(); ++i) run_step(running, i, eager_);
}

Readback CudaExecutor::read(const capture::Key& key, Mode mode, Wanted wanted) {
  Instance& read = instance(key);
  computed_.ref().record(stream_);
  readback_.start(bind(read, read.plan->logits(), memory_of(read, mode)), wanted, stream_);
  ended_.ref().record(stream_);
  stream_.synchronize();
  times_.gpu_ns = ns_between(begun_, computed_);
  times_.d2h_ns = ns_between(computed_, ended_);
  return readback_.finish();
}

std::vector<std::int64_t> CudaExecutor::time_steps(const capture::Key& key) {
  // Behind the delay the host queues the whole forward, so that no step waits for its launch.
  constexpr std::int64_t kDelayPerStepNs = 12'000;
  Instance& timed = instance(key);
  const std::size_t count = timed.ops.size();
  while (step_events_.size() < count + 1) step_events_.emplace_back();
  kernels::stream::cuda::delay(static_cast<std::int64_t>(count) * kDelayPerStepNs, stream_);
  step_events_[0].ref().record(stream_);
  for (std::size_t i = 0; i < count; ++i) {
    run_step(timed, i, eager_);
    step_events_[i + 1].ref().record(stream_);
  }
  stream_.synchronize();
  std::vector<std::int64_t> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(ns_between(step_events_[i], step_events_[i + 1]));
  return times;
}

void CudaExecutor::clear() {
  stream_.synchronize();
  instances_.clear();
  eager_ = {};
}

std::span<const capture::StepInfo> CudaExecutor::steps(const capture::Key& key) { return instance(key).steps; }

core::Eligibility CudaExecutor::admit(const capture::Key& key) {
  if (plan(key).logits().storage != Storage::arena)
    return core::refuse("logits with a persistent binding", "in the arena", "elsewhere");
  return core::accept();
}

std::optional<capture::SeamReason> CudaExecutor::seam(const capture::Key& key, int step) {
  if (plan(key).steps()[static_cast<std::size_t>(step)].capture) return std::nullopt;
  return capture::SeamReason::kernel_capture_unsupported;
}

void CudaExecutor::warm_up(const capture::Key& key) {
  Instance& warmed = instance(key);
  for (std::size_t i = 0; i < warmed.ops.size(); ++i) run_step(warmed, i, memory_of(warmed, Mode::captured));
}

void CudaExecutor::run(const capture::Key& key, int step) {
  Instance& running = instance(key);
  run_step(running, static_cast<std::size_t>(step), memory_of(running, Mode::captured));
}

std::unique_ptr<capture::Segment> CudaExecutor::record(const capture::Key& key, int first, int last) {
  Instance& recorded = instance(key);
  const Memory& memory = memory_of(recorded, Mode::captured);
  int step = first;
  try {
    core::GraphCapture capture(stream_);
    for (; step < last; ++step) run_step(recorded, static_cast<std::size_t>(step), memory);
    core::GraphExec exec(capture.finish());
    exec.upload(stream_);
    return std::make_unique<GraphSegment>(std::move(exec), stream_);
  } catch (const core::EnvironmentError&) {
    throw;  // out of memory is no fault of the step
  } catch (const core::Error& error) {
    throw capture::RecordingFailure{std::min(step, last - 1), error.what()};
  }
}

}  // namespace gonogo::engine::cuda
