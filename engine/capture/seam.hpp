// Why a step of a captured forward runs eagerly.
#pragma once

#include <string_view>

namespace gonogo::engine::capture {

/// In the order in which a step is classified: the first that holds is its reason.
enum class SeamReason {
  recording_failed,            // an operator of this type failed to record before: quarantined
  host_control_flow,           // the host decides what runs
  unresolved_shape,            // a shape is only known after running
  growing_symbol,              // a shape grows with the cache and is not pinned to its capacity
  kernel_not_warmed,           // the kernel has state that only a run at these shapes creates
  kernel_capture_unsupported,  // the kernel itself cannot be recorded: it allocates or synchronises
};

/// "RecordingFailed", "KernelNotWarmed"...: the spelling of records.
[[nodiscard]] std::string_view name_of(SeamReason reason);

}  // namespace gonogo::engine::capture
