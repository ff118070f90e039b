#include "engine/capture/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/core/error.hpp"

namespace gonogo::engine::capture {

std::string_view name_of(State state) {
  switch (state) {
    case State::cold:
      return "cold";
    case State::warm:
      return "warm";
    case State::ready:
      return "ready";
    case State::declined:
      return "declined";
  }
  return "unknown";
}

Outcome Machine::forward(const Key& key) {
  Entry& entry = entries_[key];
  Outcome outcome{};
  switch (entry.state) {
    case State::cold:
      outcome = warm_up(key, entry);
      break;
    case State::warm:
      outcome = capture(key, entry);
      break;
    case State::ready:
      carry_out(key, entry.parts);
      outcome = Outcome::replay;
      break;
    case State::declined:
      executor_.warm_up(key);
      outcome = Outcome::eager;
      break;
  }
  count(outcome);
  return outcome;
}

void Machine::count(Outcome outcome) {
  ++counters_.steps;
  switch (outcome) {
    case Outcome::warm_up:
      ++counters_.warm_ups;
      break;
    case Outcome::capture:
      ++counters_.captures;
      break;
    case Outcome::replay:
      ++counters_.replays;
      break;
    case Outcome::eager:
      ++counters_.warm_ups;
      ++counters_.declines;
      break;
  }
}

Outcome Machine::warm_up(const Key& key, Entry& entry) {
  executor_.warm_up(key);
  entry.state = State::warm;
  return Outcome::warm_up;
}

Outcome Machine::decline(const Key& key, Entry& entry, core::Refusal refusal) {
  executor_.warm_up(key);
  entry.declined = std::move(refusal);
  entry.state = State::declined;
  return Outcome::eager;
}

Outcome Machine::capture(const Key& key, Entry& entry) {
  if (const core::Eligibility admitted = executor_.admit(key); !admitted) return decline(key, entry, admitted.reason());
  const core::AllocationCounts before = executor_.allocations();
  std::vector<Part> parts = record(key);
  if (std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.seam.has_value(); }))
    return decline(key, entry, {"steps that can be captured, at least", "1", "0"});
  carry_out(key, parts);
  entry.parts = std::move(parts);
  entry.capture_allocations = executor_.allocations() - before;
  entry.state = State::ready;
  return Outcome::capture;
}

std::optional<SeamReason> Machine::classify(const Key& key, int step) {
  if (quarantined_.contains(executor_.steps(key)[static_cast<std::size_t>(step)].op))
    return SeamReason::recording_failed;
  return executor_.seam(key, step);
}

std::vector<Part> Machine::cut(const Key& key) {
  std::vector<Part> parts;
  const int count = static_cast<int>(executor_.steps(key).size());
  for (int step = 0; step < count; ++step) {
    const std::optional<SeamReason> reason = classify(key, step);
    const bool extends = !reason && !parts.empty() && !parts.back().seam;
    if (extends)
      parts.back().last = step + 1;
    else
      parts.push_back({step, step + 1, reason, nullptr});
  }
  return parts;
}

std::vector<Part> Machine::record(const Key& key) {
  // Everything is recorded before anything is carried out: a failure here has moved no data. Each failure quarantines
  // one more operator type, so this ends.
  for (;;) {
    std::vector<Part> parts = cut(key);
    try {
      for (Part& part : parts)
        if (!part.seam) part.segment = executor_.record(key, part.first, part.last);
      return parts;
    } catch (const RecordingFailure& failure) {
      const std::string& op = executor_.steps(key)[static_cast<std::size_t>(failure.step)].op;
      const bool is_new = quarantined_.insert(op).second;
      GONOGO_EXPECT(is_new,
                    fmt::format("step {} ({}) recorded although quarantined: {}", failure.step, op, failure.detail));
    }
  }
}

void Machine::carry_out(const Key& key, const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    if (part.seam)
      executor_.run(key, part.first);
    else
      part.segment->replay();
  }
}

void Machine::invalidate() {
  for (const auto& [key, entry] : entries_)
    if (entry.state == State::ready) ++counters_.invalidations;
  entries_.clear();
}

const Entry& Machine::entry(const Key& key) const {
  static const Entry cold;
  const auto it = entries_.find(key);
  return it == entries_.end() ? cold : it->second;
}

}  // namespace gonogo::engine::capture
