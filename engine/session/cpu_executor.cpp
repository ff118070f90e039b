#include "engine/session/cpu_executor.hpp"

#include <fmt/format.h>

#include <utility>

#include "engine/session/write_inputs.hpp"
#include "harness/core/error.hpp"
#include "harness/core/trace.hpp"

namespace gonogo::engine {
namespace {

/// A step with every tensor bound: nothing is looked up, inferred or allocated when it runs.
struct Command {
  const ops::Op* op = nullptr;
  std::vector<core::Tensor> inputs;
  std::vector<core::Tensor> outputs;
  std::span<std::byte> workspace;
};

class CommandList final : public capture::Segment {
 public:
  CommandList(std::vector<Command> commands, kernels::Threads threads)
      : commands_(std::move(commands)), threads_(threads) {}
  void replay() override {
    const core::ForbidAllocation forbid;
    const core::Span span("segment");
    for (Command& command : commands_) command.op->run({command.inputs, command.outputs, command.workspace, threads_});
  }

 private:
  std::vector<Command> commands_;
  kernels::Threads threads_;
};

}  // namespace

CpuExecutor::Instance::Instance(std::unique_ptr<const Plan> made) : plan(std::move(made)) {
  for (const PlanStep& step : plan->steps()) steps.push_back({step.node->op_type, step.kernel});
}

CpuExecutor::CpuExecutor(std::shared_ptr<const Program> program, const KvCache& cache, kernels::Threads threads)
    : program_(std::move(program)), cache_(cache), threads_(threads) {}

CpuExecutor::Instance& CpuExecutor::instance(const capture::Key& key) {
  auto it = instances_.find(key);
  if (it == instances_.end()) {
    const PlanRequest request{{key.width, key.bucket}, key.rows, threads_};
    it = instances_.try_emplace(key, std::make_unique<const Plan>(program_, request)).first;
  }
  return it->second;
}

const Plan& CpuExecutor::plan(const capture::Key& key) { return *instance(key).plan; }

core::Tensor CpuExecutor::bind(const Operand& operand, std::byte* arena) const {
  core::Tensor tensor{operand.dtype, operand.shape, nullptr};
  switch (operand.storage) {
    case Storage::absent:
      break;
    // Kernels only read constants; Tensor has no const form.
    case Storage::constant:
      tensor.data = const_cast<std::byte*>(operand.constant);
      break;
    case Storage::arena:
      tensor.data = arena + operand.at;
      break;
    case Storage::cache:
      tensor.data = cache_.tensor(operand.at).data;
      break;
  }
  return tensor;
}

void CpuExecutor::write(const Plan& plan, std::byte* arena, const StepInputs& inputs) const {
  write_inputs(plan, inputs, [&](const Operand& operand) { return bind(operand, arena); });
}

void CpuExecutor::run_step(const PlanStep& step, std::byte* arena) const {
  const core::Span span(step.node->name);
  std::vector<core::Tensor> inputs;
  std::vector<ops::ValueFacts> facts;
  for (const Operand& operand : step.inputs) {
    inputs.push_back(bind(operand, arena));
    facts.push_back(operand.facts());
  }
  const std::vector<ops::ValueFacts> inferred = step.op->infer(facts);
  std::vector<core::Tensor> outputs;
  for (std::size_t i = 0; i < step.outputs.size(); ++i) {
    outputs.push_back(bind(step.outputs[i], arena));
    outputs.back().shape = inferred[i].shape;
  }
  const std::size_t bytes = step.op->workspace_bytes(facts, threads_);
  const core::HostBuffer workspace = bytes == 0 ? core::HostBuffer() : core::HostBuffer(bytes);
  step.op->run({inputs, outputs, {workspace.data(), bytes}, threads_});
}

void CpuExecutor::stage(const capture::Key& key, const StepInputs& inputs, Mode mode) {
  Instance& staged = instance(key);
  const std::size_t arena_bytes = staged.plan->arena_bytes();
  if (mode == Mode::eager) {
    if (eager_arena_.size() < arena_bytes) {
      eager_arena_ = core::HostBuffer();  // freed first: the two need not fit side by side
      eager_arena_ = core::HostBuffer(arena_bytes);
    }
    return write(*staged.plan, eager_arena_.data(), inputs);
  }
  if (!staged.has_buffers) {
    staged.arena = core::HostBuffer(arena_bytes);
    if (const std::size_t bytes = staged.plan->workspace_bytes(); bytes > 0) staged.workspace = core::HostBuffer(bytes);
    staged.has_buffers = true;
  }
  write(*staged.plan, staged.arena.data(), inputs);
}

void CpuExecutor::begin() { begin_ns_ = core::steady_ns(); }

void CpuExecutor::run_eager(const capture::Key& key) {
  for (const PlanStep& step : plan(key).steps()) run_step(step, eager_arena_.data());
}

Readback CpuExecutor::read(const capture::Key& key, Mode mode, Wanted wanted) {
  const std::int64_t computed = core::steady_ns();
  times_.gpu_ns = computed - begin_ns_;
  logits_.clear();
  Instance& read = instance(key);
  const core::Tensor logits = bind(read.plan->logits(), mode == Mode::eager ? eager_arena_.data() : read.arena.data());
  if (wanted != Wanted::nothing) logits_.read(logits);
  times_.d2h_ns = core::steady_ns() - computed;
  return {wants_logits(wanted) ? logits_.values() : std::span<const float>(), logits_.argmax(), logits_.finite()};
}

void CpuExecutor::clear() {
  instances_.clear();
  eager_arena_ = core::HostBuffer();
}

std::span<const capture::StepInfo> CpuExecutor::steps(const capture::Key& key) { return instance(key).steps; }

core::Eligibility CpuExecutor::admit(const capture::Key& key) {
  if (plan(key).logits().storage != Storage::arena)
    return core::refuse("logits with a persistent binding", "in the arena", "elsewhere");
  return core::accept();
}

std::optional<capture::SeamReason> CpuExecutor::seam(const capture::Key& key, int step) {
  if (plan(key).steps()[static_cast<std::size_t>(step)].capture) return std::nullopt;
  return capture::SeamReason::kernel_capture_unsupported;
}

void CpuExecutor::warm_up(const capture::Key& key) {
  Instance& staged = instance(key);
  GONOGO_EXPECT(staged.has_buffers, "stage() comes first");
  for (const PlanStep& step : staged.plan->steps()) run_step(step, staged.arena.data());
}

void CpuExecutor::run(const capture::Key& key, int step) {
  Instance& staged = instance(key);
  run_step(staged.plan->steps()[static_cast<std::size_t>(step)], staged.arena.data());
}

std::unique_ptr<capture::Segment> CpuExecutor::record(const capture::Key& key, int first, int last) {
  Instance& staged = instance(key);
  GONOGO_EXPECT(staged.has_buffers, "stage() comes first");
  std::byte* arena = staged.arena.data();
  std::vector<Command> commands;
  for (int i = first; i < last; ++i) {
    const PlanStep& step = staged.plan->steps()[static_cast<std::size_t>(i)];
    Command command{step.op, {}, {}, {staged.workspace.data(), step.workspace_bytes}};
    for (const Operand& operand : step.inputs) command.inputs.push_back(bind(operand, arena));
    for (const Operand& operand : step.outputs) command.outputs.push_back(bind(operand, arena));
    commands.push_back(std::move(command));
  }
  return std::make_unique<CommandList>(std::move(commands), threads_);
}

}  // namespace gonogo::engine
