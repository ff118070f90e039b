#include "harness/core/cuda/stream.hpp"

#include "harness/core/cuda/check.hpp"
#include "harness/core/error.hpp"

namespace gonogo::core {

StreamRef::StreamRef(CUstream_st* handle) : handle_(handle) {
  GONOGO_EXPECT(handle != nullptr && handle != cudaStreamLegacy && handle != cudaStreamPerThread,
                "a stream made by core::Stream, got a default stream");
}

void StreamRef::synchronize() const { GONOGO_CUDA(cudaStreamSynchronize(handle_)); }

bool StreamRef::capturing() const {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  GONOGO_CUDA(cudaStreamIsCapturing(handle_, &status));
  return status != cudaStreamCaptureStatusNone;
}

Stream::Stream() {
  cudaStream_t handle = nullptr;
  GONOGO_CUDA(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking));
  handle_.reset(handle);
}

void Stream::Destroy::operator()(CUstream_st* handle) const noexcept { GONOGO_CUDA_NOTHROW(cudaStreamDestroy(handle)); }

}  // namespace gonogo::core
