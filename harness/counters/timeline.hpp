// What ran when: the one form of a trace, whether the engine's own spans or CUPTI activity records fill it.
// Host only; readers need neither CUDA nor CUPTI.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gonogo::counters {

enum class SliceKind {
  op,        // a plan step as the host saw it
  kernel,    // on the device
  copy,      // memcpy, either direction
  set,       // memset
  launch,    // a runtime or driver call that enqueues work
  wait,      // a call that blocks the host on the device
  host,      // anything else the host did
  overhead,  // the tracer's own
};

struct Slice {
  SliceKind kind = SliceKind::host;
  std::string name;           // kernel, copy direction, call or span name
  std::string node;           // ONNX node path of the plan step; empty when none
  std::string op;             // its operator type
  int step = -1;              // index in the plan; -1 when none
  int forward = -1;           // which of the traced forwards; -1 outside all
  int track = 0;              // index in Timeline::tracks
  int depth = 0;              // nesting on its track, 0 outermost
  std::int64_t begin_ns = 0;  // one clock for the whole timeline
  std::int64_t end_ns = 0;
  std::int64_t bytes = 0;  // moved by a copy or set; modelled bytes of an op or kernel's step
};

struct Track {
  std::string name;     // "host", "stream 7"
  bool device = false;  // else a host thread
};

/// One traced forward as the host timed it: launch to completion.
struct Forward {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct Timeline {
  std::string source;     // "spans" or "cupti"
  bool profiled = false;  // taken under a profiler or tracer: never feeds a gate
  std::vector<Track> tracks;
  std::vector<Slice> slices;  // by begin_ns within a track
  std::vector<Forward> forwards;
  std::int64_t dropped = 0;  // records the collector lost; a timeline with any is incomplete
};

[[nodiscard]] std::string_view name_of(SliceKind kind);

}  // namespace gonogo::counters
