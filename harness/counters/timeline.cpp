#include "harness/counters/timeline.hpp"

namespace gonogo::counters {

std::string_view name_of(SliceKind kind) {
  switch (kind) {
    case SliceKind::op:
      return "op";
    case SliceKind::kernel:
      return "kernel";
    case SliceKind::copy:
      return "copy";
    case SliceKind::set:
      return "set";
    case SliceKind::launch:
      return "launch";
    case SliceKind::wait:
      return "wait";
    case SliceKind::host:
      return "host";
    case SliceKind::overhead:
      return "overhead";
  }
  return "?";
}

}  // namespace gonogo::counters
