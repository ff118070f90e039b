#include "harness/core/cuda/copy.hpp"

#include "harness/core/cuda/check.hpp"

namespace gonogo::core {

void copy_to_device(void* device, const void* host, std::size_t bytes, StreamRef stream) {
  GONOGO_CUDA(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream.get()));
}

void copy_to_host(void* host, const void* device, std::size_t bytes, StreamRef stream) {
  GONOGO_CUDA(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream.get()));
}

void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream) {
  GONOGO_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream.get()));
}

void fill_bytes(void* device, unsigned char value, std::size_t bytes, StreamRef stream) {
  GONOGO_CUDA(cudaMemsetAsync(device, value, bytes, stream.get()));
}

}  // namespace gonogo::core
