// Events: points in a stream that can be waited for and timed.
#pragma once

#include <memory>

#include "harness/core/cuda/stream.hpp"

struct CUevent_st;

namespace gonogo::core {

/// A view of an event.
class EventRef {
 public:
  explicit EventRef(CUevent_st* handle);  // throws LogicError on null
  [[nodiscard]] CUevent_st* get() const noexcept { return handle_; }

  void record(StreamRef stream) const;
  /// Work put into `stream` after this waits for the recorded point.
  void wait_in(StreamRef stream) const;
  void synchronize() const;
  /// True when the recorded work is done; never blocks.
  [[nodiscard]] bool done() const;

 private:
  CUevent_st* handle_;
};

/// Milliseconds between two recorded and finished events, resolution about 0.5 us. Throws LogicError when either was
/// not recorded.
[[nodiscard]] float elapsed_ms(EventRef begin, EventRef end);

enum class EventTiming { on, off };

/// An event on the current device; without timing it is cheaper to wait for. Move-only.
class Event {
 public:
  explicit Event(EventTiming timing = EventTiming::on);
  [[nodiscard]] EventRef ref() const { return EventRef(handle_.get()); }
  operator EventRef() const { return ref(); }  // NOLINT: an owner is usable where a view is asked

 private:
  struct Destroy {
    void operator()(CUevent_st* handle) const noexcept;
  };
  std::unique_ptr<CUevent_st, Destroy> handle_;
};

}  // namespace gonogo::core
