// Runs plans on the CPU: eagerly, step by step with shapes inferred and workspaces allocated each time, or recorded as
// a list of commands bound beforehand.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/session/executor.hpp"
#include "engine/session/logits.hpp"
#include "harness/core/allocation.hpp"

namespace gonogo::engine {

class CpuExecutor final : public SessionExecutor {
 public:
  CpuExecutor(std::shared_ptr<const Program> program, const KvCache& cache, kernels::Threads threads);

  [[nodiscard]] const Plan& plan(const capture::Key& key) override;
  void stage(const capture::Key& key, const StepInputs& inputs, Mode mode) override;
  void begin() override;
  void run_eager(const capture::Key& key) override;
  Readback read(const capture::Key& key, Mode mode, Wanted wanted) override;
  [[nodiscard]] ForwardTimes times() const override { return times_; }
  void clear() override;
  [[nodiscard]] int threads() const override { return threads_.count; }

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
  void write(const Plan& plan, std::byte* arena, const StepInputs& inputs) const;
  void run_step(const PlanStep& step, std::byte* arena) const;

  std::shared_ptr<const Program> program_;
  const KvCache& cache_;
  kernels::Threads threads_;
  std::map<capture::Key, Instance> instances_;
  core::HostBuffer eager_arena_;  // shared by the eager forwards of all plans, grown to the largest
  HostLogits logits_;
  std::int64_t begin_ns_ = 0;
  ForwardTimes times_;
};

}  // namespace gonogo::engine
