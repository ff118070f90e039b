// A session with scripted times, counters and faults: probes are tested against it without an engine.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/session/session.hpp"

namespace gonogo::tests {

/// One forward as it came in.
struct FakeCall {
  std::string session;
  std::int64_t width = 0;
  std::int64_t past = 0;
  engine::Mode mode = engine::Mode::eager;
  engine::StepKind kind = engine::StepKind::eager;
  engine::Wanted wanted = engine::Wanted::nothing;
  std::vector<std::int64_t> ids;
};

/// What the session does. The defaults are those of a sound engine that captures everything in one segment.
struct FakeScript {
  std::string name = "latest";
  std::string backend = "cpu";
  std::int64_t vocab = 64;
  std::int64_t context = 4096;
  /// Times of a forward, by its call; gpu 1 ms by default.
  std::function<engine::ForwardTimes(const FakeCall&)> times = [](const FakeCall&) {
    return engine::ForwardTimes{1'000'000, 0, 0};
  };
  /// Throws, or not, before a forward runs.
  std::function<void(const FakeCall&)> fault = [](const FakeCall&) {};
  /// Changes the logits of one row after they were made.
  std::function<void(const FakeCall&, std::int64_t row, std::span<float> logits)> spoil =
      [](const FakeCall&, std::int64_t, std::span<float>) {};
  /// Changes what the counters say.
  std::function<void(engine::CaptureCounters&)> skew = [](engine::CaptureCounters&) {};
  std::optional<core::Refusal> declined;  // when set nothing is ever captured
  std::vector<engine::Seam> seams;
  core::AllocationCounts capture_allocations;
  /// Allocations of a forward, by its call.
  std::function<core::AllocationCounts(const FakeCall&)> allocations = [](const FakeCall&) {
    return core::AllocationCounts{};
  };
  std::int64_t replays_until_drop = 0;  // > 0: a graph is lost after that many replays
  core::Work work{.weight_bytes = 1'000'000, .activation_bytes = 0, .kv_bytes = 0, .flops = 0};
  /// Steps with a cost each; an eager forward opens a span for each that `spans` lists.
  std::vector<engine::StepCost> costs;
  std::vector<std::string> spans;
  std::shared_ptr<std::vector<FakeCall>> journal = std::make_shared<std::vector<FakeCall>>();
};

class FakeSession : public engine::Session {
 public:
  explicit FakeSession(FakeScript script);

  const engine::ModelFacts& model() const override { return facts_; }
  const engine::Stack& stack() const override { return stack_; }
  std::string backend() const override { return script_.backend; }
  int threads() const override { return 1; }
  engine::ForwardResult forward(std::span<const std::int64_t> ids, engine::Mode mode, engine::Wanted wanted) override;
  std::int64_t length() const override { return static_cast<std::int64_t>(history_.size()); }
  void rewind(std::int64_t length) override;
  std::int64_t bucket() const override { return bucket_; }
  void reserve(std::int64_t length) override;
  engine::CaptureCounters counters() const override;
  engine::CaptureState capture_state(std::int64_t width) const override;
  void drop_graphs() override { graphs_.clear(); }
  engine::PlanFacts plan(std::int64_t width) const override;
  core::Work work(std::int64_t width, std::int64_t past) const override;
  std::vector<engine::StepCost> step_costs(std::int64_t, std::int64_t) const override { return script_.costs; }

  [[nodiscard]] const std::vector<FakeCall>& calls() const { return *script_.journal; }

 private:
  struct Graph {
    int state = 0;  // 0 cold, 1 warm, 2 ready
    std::int64_t replays = 0;
  };
  engine::StepKind step(std::int64_t width);
  void make_logits(const FakeCall& call, std::int64_t rows);

  FakeScript script_;
  engine::ModelFacts facts_;
  engine::Stack stack_;
  std::vector<std::int64_t> history_;
  std::int64_t bucket_ = 256;
  std::map<std::int64_t, Graph> graphs_;  // by width; growth drops them all
  engine::CaptureCounters counters_;
  std::vector<float> logits_;
  std::vector<std::int64_t> argmax_;
  bool finite_ = true;
};

}  // namespace gonogo::tests
