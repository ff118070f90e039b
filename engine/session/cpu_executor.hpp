// Runs plans on the CPU: eagerly, step by step with shapes inferred and workspaces allocated each time, or recorded as
// a list of commands bound beforehand.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/capture/executor.hpp"
#include "engine/kv/cache.hpp"
#include "engine/plan/plan.hpp"
#include "harness/core/allocation.hpp"

namespace gonogo::engine {

/// What changes from step to step; written into a plan's input buffers.
struct StepInputs {
  std::span<const std::int64_t> ids;
  std::int64_t past = 0;  // tokens in the cache before this step
};

class CpuExecutor final : public capture::Executor {
 public:
  CpuExecutor(std::shared_ptr<const Program> program, const KvCache& cache, kernels::Threads threads);

  /// The plan of a key, made on first use.
  [[nodiscard]] const Plan& plan(const capture::Key& key);

  /// A whole eager forward; the logits lie in memory that the next eager forward reuses.
  core::Tensor run_eager(const capture::Key& key, const StepInputs& inputs);

  /// Puts a captured forward's inputs where its recording reads them; makes the key's buffers on first use.
  void stage(const capture::Key& key, const StepInputs& inputs);
  [[nodiscard]] core::Tensor logits(const capture::Key& key);

  /// Forgets plans and buffers; recordings made over them must be gone.
  void clear();

  std::span<const capture::StepInfo> steps(const capture::Key& key) override;
  core::Eligibility admit(const capture::Key& key) override;
  std::optional<capture::SeamReason> seam(const capture::Key& key, int step) override;
  void warm_up(const capture::Key& key) override;
  void run(const capture::Key& key, int step) override;
  std::unique_ptr<capture::Segment> record(const capture::Key& key, int first, int last) override;
  core::AllocationCounts allocations() const override { return core::host_allocations(); }

 private:
  /// A plan, and when it is captured the buffers that its recording is bound to.
  struct Instance {
    explicit Instance(std::unique_ptr<const Plan> made);
    std::unique_ptr<const Plan> plan;
    std::vector<capture::StepInfo> steps;
    core::HostBuffer arena;
    core::HostBuffer workspace;
    bool has_buffers = false;
  };

  Instance& instance(const capture::Key& key);
  [[nodiscard]] core::Tensor bind(const Operand& operand, std::byte* arena) const;
  void write_inputs(const Plan& plan, std::byte* arena, const StepInputs& inputs) const;
  void run_step(const PlanStep& step, std::byte* arena) const;

  std::shared_ptr<const Program> program_;
  const KvCache& cache_;
  kernels::Threads threads_;
  std::map<capture::Key, Instance> instances_;
  core::HostBuffer eager_arena_;  // shared by the eager forwards of all plans, grown to the largest
};

}  // namespace gonogo::engine
