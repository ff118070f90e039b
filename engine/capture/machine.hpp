// The capture machine: decides for each forward whether to warm, capture, replay or decline. The only code that
// captures.
//
//   cold --forward--> warm --forward--> ready --forward--> ready        (warm-up, capture, replay, replay...)
//                      |
//                      +--nothing to capture--> declined --forward--> declined   (eager, counted as warm-up and
//                      decline)
//   invalidate(): every state becomes cold again; graphs are dropped and counted.
//
// captures + replays + warm_ups == steps holds after every call, also after one that threw: a forward that threw counts
// as nothing and leaves its state as it was.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/capture/executor.hpp"

namespace gonogo::engine::capture {

enum class State { cold, warm, ready, declined };
[[nodiscard]] std::string_view name_of(State state);

/// How a forward was carried out: eager when declined.
enum class Outcome { eager, warm_up, capture, replay };

struct Counters {
  std::int64_t steps = 0;
  std::int64_t warm_ups = 0;
  std::int64_t captures = 0;
  std::int64_t replays = 0;
  std::int64_t declines = 0;
  std::int64_t invalidations = 0;  // graphs dropped
};

/// A piece of a captured forward: a maximal run of recorded steps, or one seam.
struct Part {
  int first = 0;  // steps [first, last)
  int last = 0;
  std::optional<SeamReason> seam;    // the reason, when it is one
  std::unique_ptr<Segment> segment;  // the recording, when it is not
};

/// What is kept for a key.
struct Entry {
  State state = State::cold;
  std::optional<core::Refusal> declined;
  std::vector<Part> parts;                     // when ready
  core::AllocationCounts capture_allocations;  // across the capturing forward
};

class Machine {
 public:
  explicit Machine(Executor& executor) : executor_(executor) {}
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  /// One forward whose inputs are already in the key's buffers.
  Outcome forward(const Key& key);

  /// Buffers moved, or graphs are not wanted any more: everything is cold again. Quarantines stay.
  void invalidate();

  [[nodiscard]] const Counters& counters() const { return counters_; }
  /// The entry of a key; a cold one when it was never used.
  [[nodiscard]] const Entry& entry(const Key& key) const;
  [[nodiscard]] const std::set<std::string, std::less<>>& quarantined() const { return quarantined_; }

 private:
  Outcome warm_up(const Key& key, Entry& entry);
  Outcome capture(const Key& key, Entry& entry);
  Outcome decline(const Key& key, Entry& entry, core::Refusal refusal);
  [[nodiscard]] std::vector<Part> record(const Key& key);
  [[nodiscard]] std::vector<Part> cut(const Key& key);
  [[nodiscard]] std::optional<SeamReason> classify(const Key& key, int step);
  void carry_out(const Key& key, const std::vector<Part>& parts);
  void count(Outcome outcome);

  Executor& executor_;
  std::map<Key, Entry> entries_;
  std::set<std::string, std::less<>> quarantined_;  // operator types that failed to record
  Counters counters_;
};

}  // namespace gonogo::engine::capture
