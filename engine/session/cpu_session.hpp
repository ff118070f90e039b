// A session on the CPU backend.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/capture/machine.hpp"
#include "engine/session/cpu_executor.hpp"
#include "engine/session/loaded_model.hpp"
#include "engine/session/logits.hpp"
#include "engine/session/session.hpp"

namespace gonogo::engine {

class CpuSession final : public Session {
 public:
  CpuSession(std::shared_ptr<const LoadedModel> model, const SessionOptions& options);

  [[nodiscard]] const ModelFacts& model() const override;
  [[nodiscard]] const Stack& stack() const override { return options_.stack; }
  [[nodiscard]] std::string backend() const override { return "cpu"; }
  [[nodiscard]] int threads() const override { return threads_.count; }

  ForwardResult forward(std::span<const std::int64_t> ids, Mode mode, Wanted wanted) override;

  [[nodiscard]] std::int64_t length() const override { return cache_.length(); }
  void rewind(std::int64_t length) override { cache_.rewind(length); }
  [[nodiscard]] std::int64_t bucket() const override { return cache_.capacity(); }
  void reserve(std::int64_t length) override;

  [[nodiscard]] CaptureCounters counters() const override;
  [[nodiscard]] CaptureState capture_state(std::int64_t width) const override;
  void drop_graphs() override;

  [[nodiscard]] PlanFacts plan(std::int64_t width) const override;
  [[nodiscard]] core::Work work(std::int64_t width, std::int64_t past) const override;
  [[nodiscard]] std::vector<StepCost> step_costs(std::int64_t width, std::int64_t past) const override;

 private:
  void check(std::span<const std::int64_t> ids) const;
  [[nodiscard]] capture::Key key_for(std::int64_t width, Wanted wanted) const;
  [[nodiscard]] const Plan& plan_of_width(std::int64_t width) const;
  core::Tensor run(const capture::Key& key, const StepInputs& inputs, Mode mode, ForwardResult& result);

  std::shared_ptr<const LoadedModel> model_;
  SessionOptions options_;
  kernels::Threads threads_;
  std::shared_ptr<const Program> program_;
  KvCache cache_;
  std::unique_ptr<CpuExecutor> executor_;
  capture::Machine machine_;
  HostLogits logits_;
  std::map<std::int64_t, capture::Rows> captured_rows_;  // what the last captured forward of a width asked for
  mutable ModelFacts facts_;                             // the hash is filled when somebody asks
};

}  // namespace gonogo::engine
