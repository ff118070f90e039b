// A backend without kernels: a plan is a string of letters, one a step, and running a step appends its letter to a log.
#pragma once

#include <cctype>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/capture/machine.hpp"

namespace gonogo::tests {

using engine::capture::Executor;
using engine::capture::Key;
using engine::capture::RecordingFailure;
using engine::capture::SeamReason;
using engine::capture::Segment;
using engine::capture::StepInfo;

/// Letters: lower case can be captured; upper case cannot (KernelCaptureUnsupported). The log shows what ran:
/// "e:" a whole eager forward, "[abc]" a replayed segment, "A" a seam.
class FakeExecutor : public Executor {
 public:
  std::string plan = "abc";
  std::string log;
  core::Eligibility admitted;
  std::map<char, SeamReason> reasons;  // seams other than by upper case
  std::string fails_to_record;         // letters whose recording throws RecordingFailure
  std::string throws_when_recorded;    // letters whose recording throws std::runtime_error
  std::string throws_when_run;         // letters whose execution throws std::runtime_error
  int recordings = 0;
  int live_segments = 0;
  core::AllocationCounts counts;
  std::int64_t allocate_on_warm_up = 2;
  std::int64_t allocate_on_seam = 1;

  std::span<const StepInfo> steps(const Key&) override {
    steps_.clear();
    for (const char letter : plan) steps_.push_back({std::string(1, letter), std::string("kernel.") + letter});
    return steps_;
  }
  core::Eligibility admit(const Key&) override { return admitted; }
  std::optional<SeamReason> seam(const Key&, int step) override {
    const char letter = plan.at(static_cast<std::size_t>(step));
    if (const auto it = reasons.find(letter); it != reasons.end()) return it->second;
    if (std::isupper(static_cast<unsigned char>(letter)) != 0) return SeamReason::kernel_capture_unsupported;
    return std::nullopt;
  }
  void warm_up(const Key&) override {
    counts.allocations += allocate_on_warm_up;
    for (const char letter : plan) maybe_throw(letter);
    log += "e:" + plan + " ";
  }
  void run(const Key&, int step) override {
    counts.allocations += allocate_on_seam;
    const char letter = plan.at(static_cast<std::size_t>(step));
    maybe_throw(letter);
    log += letter;
  }
  std::unique_ptr<Segment> record(const Key&, int first, int last) override {
    ++recordings;
    const std::string letters = plan.substr(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
    for (std::size_t i = 0; i < letters.size(); ++i) {
      if (fails_to_record.find(letters[i]) != std::string::npos)
        throw RecordingFailure{first + static_cast<int>(i), "fake"};
      if (throws_when_recorded.find(letters[i]) != std::string::npos) throw std::runtime_error("recording");
    }
    return std::make_unique<FakeSegment>(*this, letters);
  }
  core::AllocationCounts allocations() const override { return counts; }

  std::string take_log() { return std::exchange(log, ""); }

 private:
  class FakeSegment : public Segment {
   public:
    FakeSegment(FakeExecutor& owner, std::string letters) : owner_(owner), letters_(std::move(letters)) {
      ++owner_.live_segments;
    }
    ~FakeSegment() override { --owner_.live_segments; }
    void replay() override {
      for (const char letter : letters_) owner_.maybe_throw(letter);
      owner_.log += "[" + letters_ + "]";
    }

   private:
    FakeExecutor& owner_;
    std::string letters_;
  };

  void maybe_throw(char letter) const {
    if (throws_when_run.find(letter) != std::string::npos) throw std::runtime_error("running");
  }
  std::vector<StepInfo> steps_;
};

}  // namespace gonogo::tests
