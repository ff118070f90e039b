// A host emulation of the CUDA execution model, so that kernels are tested where there is no GPU: the same .cu files,
// compiled as C++ with GONOGO_SIMT, run a block's threads as fibers with real barriers and warp exchanges. Blocks run
// one after another. It finds wrong indices, missing tails, divergent barriers and reads of shared memory nobody wrote;
// it finds no races and no speed.
#pragma once

#include <cuda_runtime.h>

#include <math.h>
#include <string.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

struct CUstream_st;

namespace gonogo::simt {

struct Shape {
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
};

/// Runs the body for every thread of the grid now, or records it when the stream is capturing.
cudaError_t launch(const Shape& shape, CUstream_st* stream, std::function<void()> body);

/// Indices of the running fiber.
struct Indices {
  dim3 grid, block;
  uint3 block_index, thread_index;
};
[[nodiscard]] const Indices& indices();

void barrier_block();
void barrier_warp(unsigned mask);
/// Dynamic shared memory of the running block, filled with 0xff at the block's start.
[[nodiscard]] std::byte* dynamic_shared();

/// One lane's contribution to a warp exchange: up to 32 bytes.
struct Slot {
  std::uint32_t words[8];
};
/// Every lane of `mask` puts a slot and then sees all of them until the next exchange but one.
[[nodiscard]] const Slot* exchange(unsigned mask, const Slot& mine);
[[nodiscard]] unsigned lane();

template <class T>
T shuffle(unsigned mask, T value, unsigned source) {
  static_assert(sizeof(T) <= sizeof(Slot));
  Slot slot{};
  std::memcpy(&slot, &value, sizeof(T));
  const Slot* all = exchange(mask, slot);
  std::memcpy(&value, &all[source % 32], sizeof(T));
  return value;
}

/// What the fake device reports and how much memory it has; tests script failures through it.
struct FakeDevice {
  int count = 1;
  int sm = 90;
  std::size_t memory_bytes = std::size_t{8} << 30;
  std::size_t used_bytes = 0;
  int driver_version = 13000;
};
[[nodiscard]] FakeDevice& fake_device();

}  // namespace gonogo::simt

// ---- what a .cu file expects to find in scope
// ---------------------------------------------------------------------------
#undef __shared__
#define __shared__ static
#undef __launch_bounds__
#define __launch_bounds__(...)
#define threadIdx (::gonogo::simt::indices().thread_index)
#define blockIdx (::gonogo::simt::indices().block_index)
#define blockDim (::gonogo::simt::indices().block)
#define gridDim (::gonogo::simt::indices().grid)

using std::isnan;
template <class T>
T min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
T max(T a, T b) {
  return a < b ? b : a;
}

inline void __syncthreads() { ::gonogo::simt::barrier_block(); }
inline void __syncwarp(unsigned mask = 0xffffffffu) { ::gonogo::simt::barrier_warp(mask); }
inline void __threadfence() {}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int = 32) {
  return ::gonogo::simt::shuffle(mask, value, ::gonogo::simt::lane() ^ static_cast<unsigned>(lane_mask));
}
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int = 32) {
  return ::gonogo::simt::shuffle(mask, value, static_cast<unsigned>(source));
}
template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T atomicAdd(T* p, T v) {
  const T old = *p;
  *p = old + v;
  return old;
}
template <class T>
T atomicOr(T* p, T v) {
  const T old = *p;
  *p = old | v;
  return old;
}
template <class T>
T atomicXor(T* p, T v) {
  const T old = *p;
  *p = old ^ v;
  return old;
}
