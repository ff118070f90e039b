// Runs plans on a CUDA device: eagerly, step by step in one stream, or as graphs of recorded runs of steps.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/cuda/context.hpp"
#include "engine/cuda/device_op.hpp"
#include "engine/cuda/readback.hpp"
#include "engine/cuda/step_inputs.hpp"
#include "engine/cuda/weight_lease.hpp"
#include "engine/session/executor.hpp"
#include "harness/core/cuda/event.hpp"

namespace gonogo::engine::cuda {

class CudaExecutor final : public SessionExecutor {
 public:
  CudaExecutor(std::shared_ptr<DeviceContext> context, std::shared_ptr<const Program> program, const KvCache& cache);

  [[nodiscard]] const Plan& plan(const capture::Key& key) override;
  void stage(const capture::Key& key, const StepInputs& inputs, Mode mode) override;
  void begin() override;
  void run_eager(const capture::Key& key) override;
  Readback read(const capture::Key& key, Mode mode, Wanted wanted) override;
  [[nodiscard]] ForwardTimes times() const override { return times_; }
  [[nodiscard]] std::vector<std::int64_t> time_steps(const capture::Key& key) override;
  void clear() override;
  [[nodiscard]] int threads() const override { return 1; }

  std::span<const capture::StepInfo> steps(const capture::Key& key) override;
  core::Eligibility admit(const capture::Key& key) override;
  std::optional<capture::SeamReason> seam(const capture::Key& key, int step) override;
  void warm_up(const capture::Key& key) override;
  void run(const capture::Key& key, int step) override;
  std::unique_ptr<capture::Segment> record(const capture::Key& key, int first, int last) override;
  core::AllocationCounts allocations() const override { return core::device_allocations(); }

 private:
  /// Device memory of forwards: activations, the workspace all steps share.
  struct Memory {
    core::DeviceBuffer arena;
    core::DeviceBuffer workspace;
    void reserve(const Plan& plan);
  };
  /// A plan with its operators, and what its captured forwards are bound to.
  struct Instance {
    std::unique_ptr<const Plan> plan;
    std::vector<capture::StepInfo> steps;
    std::vector<std::unique_ptr<DeviceOp>> ops;  // empty until the first forward
    std::vector<std::size_t> state_at;           // by step
    core::DeviceBuffer state;
    std::optional<StepInputBlock> inputs;
    std::optional<Memory> memory;  // of captured forwards
  };

  Instance& instance(const capture::Key& key);
  void prepare(Instance& made);
  [[nodiscard]] core::Tensor bind(const Instance& of, const Operand& operand, const Memory& memory) const;
  void run_step(Instance& of, std::size_t step, const Memory& memory);
  [[nodiscard]] Memory& memory_of(Instance& of, Mode mode);

  std::shared_ptr<DeviceContext> context_;
  core::StreamRef stream_;
  std::shared_ptr<const Program> program_;
  const KvCache& cache_;
  WeightLease weights_;
  std::map<capture::Key, Instance> instances_;
  Memory eager_;  // shared by the eager forwards of all plans, grown to the largest
  DeviceReadback readback_;
  core::Event begun_, computed_, ended_;
  std::vector<core::Event> step_events_;  // grown by time_steps()
  ForwardTimes times_;
};

}  // namespace gonogo::engine::cuda
