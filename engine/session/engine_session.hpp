// The session of every backend: checks, cache, capture machine and facts over a backend's executor.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "engine/capture/machine.hpp"
#include "engine/session/executor.hpp"
#include "engine/session/loaded_model.hpp"

namespace gonogo::engine {

class EngineSession final : public Session {
 public:
  /// Throws UsageError for a context that the model does not hold, EnvironmentError when memory is out.
  EngineSession(std::shared_ptr<const LoadedModel> model, const SessionOptions& options, Backend backend);

  [[nodiscard]] const ModelFacts& model() const override;
  [[nodiscard]] const Stack& stack() const override { return options_.stack; }
  [[nodiscard]] std::string backend() const override { return backend_.name; }
  [[nodiscard]] int threads() const override { return executor_->threads(); }

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
  [[nodiscard]] std::vector<std::int64_t> time_steps(std::span<const std::int64_t> ids) override;
  [[nodiscard]] std::vector<StepCost> step_costs(std::int64_t width, std::int64_t past) const override;

 private:
  void check(std::span<const std::int64_t> ids) const;
  void check_rows(const capture::Key& key, Wanted wanted) const;
  [[nodiscard]] capture::Key key_for(std::int64_t width, Wanted wanted) const;
  [[nodiscard]] const Plan& plan_of_width(std::int64_t width) const;

  std::shared_ptr<const LoadedModel> model_;
  SessionOptions options_;
  Backend backend_;
  std::shared_ptr<const Program> program_;
  KvCache cache_;
  std::unique_ptr<SessionExecutor> executor_;
  capture::Machine machine_;
  std::map<std::int64_t, capture::Rows> captured_rows_;  // what the last captured forward of a width asked for
  mutable ModelFacts facts_;                             // the hash is filled when somebody asks
};

}  // namespace gonogo::engine
