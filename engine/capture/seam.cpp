#include "engine/capture/seam.hpp"

namespace gonogo::engine::capture {

std::string_view name_of(SeamReason reason) {
  switch (reason) {
    case SeamReason::recording_failed:
      return "RecordingFailed";
    case SeamReason::host_control_flow:
      return "HostControlFlow";
    case SeamReason::unresolved_shape:
      return "UnresolvedShape";
    case SeamReason::growing_symbol:
      return "GrowingSymbol";
    case SeamReason::kernel_not_warmed:
      return "KernelNotWarmed";
    case SeamReason::kernel_capture_unsupported:
      return "KernelCaptureUnsupported";
  }
  return "unknown";
}

}  // namespace gonogo::engine::capture
