#include "harness/core/cuda/event.hpp"

#include "harness/core/cuda/check.hpp"
#include "harness/core/error.hpp"

namespace gonogo::core {

EventRef::EventRef(CUevent_st* handle) : handle_(handle) {
  GONOGO_EXPECT(handle != nullptr, "an event made by core::Event");
}

void EventRef::record(StreamRef stream) const { GONOGO_CUDA(cudaEventRecord(handle_, stream.get())); }
void EventRef::wait_in(StreamRef stream) const { GONOGO_CUDA(cudaStreamWaitEvent(stream.get(), handle_, 0)); }
void EventRef::synchronize() const { GONOGO_CUDA(cudaEventSynchronize(handle_)); }

bool EventRef::done() const {
  const cudaError_t status = cudaEventQuery(handle_);
  if (status == cudaErrorNotReady) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  GONOGO_CUDA(status);
  return true;
}

float elapsed_ms(EventRef begin, EventRef end) {
  float ms = 0;
  GONOGO_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()));
  return ms;
}

Event::Event(EventTiming timing) {
  cudaEvent_t handle = nullptr;
  GONOGO_CUDA(cudaEventCreateWithFlags(&handle, timing == EventTiming::on ? cudaEventDefault : cudaEventDisableTiming));
  handle_.reset(handle);
}

void Event::Destroy::operator()(CUevent_st* handle) const noexcept { GONOGO_CUDA_NOTHROW(cudaEventDestroy(handle)); }

}  // namespace gonogo::core
