#include "kernels/embedding/cuda/gather.hpp"

#include "harness/core/cuda/launch.cuh"
#include "harness/core/error.hpp"
#include "kernels/ptx/by_type.cuh"
#include "kernels/ptx/number.cuh"

namespace gonogo::kernels::embedding::cuda {
namespace {

constexpr int kThreads = 256;

/// The table's row of an id, or -1 with status set.
__device__ __forceinline__ std::int64_t row_of(std::int64_t id, std::int64_t vocab, std::int32_t* status) {
  if (id < 0) id += vocab;
  if (id >= 0 && id < vocab) return id;
  if (status != nullptr && threadIdx.x == 0) *status = 1;
  return -1;
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    gather_kernel(const T* table, const std::int64_t* ids, T* y, std::int32_t* status, std::int64_t vocab, int hidden) {
  const std::int64_t row = row_of(ids[blockIdx.x], vocab, status);
  T* to = y + static_cast<std::int64_t>(blockIdx.x) * hidden;
  for (int i = static_cast<int>(threadIdx.x); i < hidden; i += kThreads)
    to[i] = row < 0 ? ptx::from_float<T>(0.0f) : table[row * hidden + i];
}

struct Layout {
  std::int64_t vocab;
  int hidden, bits, block_size, blocks, default_zero;
  bool is_signed;
};

template <class T>
__global__ void __launch_bounds__(kThreads)
    gather_quantized_kernel(const std::uint8_t* codes, const T* scales, const std::uint8_t* zeros,
                            const std::int64_t* ids, T* y, std::int32_t* status, const Layout at) {
  const std::int64_t row = row_of(ids[blockIdx.x], at.vocab, status);
  T* to = y + static_cast<std::int64_t>(blockIdx.x) * at.hidden;
  const int per_byte = 8 / at.bits;
  const int mask = (1 << at.bits) - 1;
  const std::int64_t row_bytes = static_cast<std::int64_t>(at.hidden) * at.bits / 8;
  const int zero_row_bytes = (at.blocks * at.bits + 7) / 8;
  const auto value = [&](const std::uint8_t* from, int index) {
    int code = from[index / per_byte] >> (index % per_byte * at.bits) & mask;
    if (at.is_signed && code > mask / 2) code -= mask + 1;
    return code;
  };
  for (int i = static_cast<int>(threadIdx.x); i < at.hidden; i += kThreads) {
    if (row < 0) {
      to[i] = ptx::from_float<T>(0.0f);
      continue;
    }
    const int block = i / at.block_size;
    const int zero = zeros != nullptr ? value(zeros + row * zero_row_bytes, block) : at.default_zero;
    const float scale = ptx::to_float(scales[row * at.blocks + block]);
    to[i] = ptx::from_float<T>(static_cast<float>(value(codes + row * row_bytes, i) - zero) * scale);
  }
}

core::LaunchShape shape_for(std::int64_t rows) {
  GONOGO_EXPECT(rows > 0, "at least one id");
  return {.grid = dim3(static_cast<unsigned>(rows)), .block = dim3(kThreads)};
}

std::int64_t blocks_of(const QuantizedProblem& p) { return (p.hidden + p.block_size - 1) / p.block_size; }

}  // namespace

void gather(const GatherProblem& p, const GatherArgs& args, core::StreamRef stream) {
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(gather_kernel<T>, shape_for(p.rows), stream, static_cast<const T*>(args.table), args.ids,
                 static_cast<T*>(args.y), args.status, p.vocab, static_cast<int>(p.hidden));
  });
}

core::Work gather_work(const GatherProblem& p) {
  core::Work work;
  work.weight_bytes = static_cast<std::int64_t>(core::bytes_of(p.type, p.rows * p.hidden));
  work.activation_bytes = work.weight_bytes + p.rows * 8;
  return work;
}

core::Eligibility eligible(const QuantizedProblem& p) {
  if (p.bits != 4 && p.bits != 8) return core::refuse("bits, one of", "4, 8", std::to_string(p.bits));
  if (p.block_size < 16 || (p.block_size & (p.block_size - 1)) != 0)
    return core::refuse("block_size", "a power of two, at least 16", std::to_string(p.block_size));
  if (p.hidden * p.bits % 8 != 0) return core::refuse("hidden, a multiple of", 8 / p.bits, p.hidden);
  if (!core::is_float(p.type))
    return core::refuse("type, one of", "float32, float16, bfloat16", std::string(core::name_of(p.type)));
  return core::accept();
}

void gather_quantized(const QuantizedProblem& p, const QuantizedArgs& args, core::StreamRef stream) {
  const core::Eligibility answer = eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  const Layout layout{p.vocab,
                      static_cast<int>(p.hidden),
                      p.bits,
                      static_cast<int>(p.block_size),
                      static_cast<int>(blocks_of(p)),
                      p.default_zero,
                      p.is_signed};
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    core::launch(gather_quantized_kernel<T>, shape_for(p.rows), stream, args.codes, static_cast<const T*>(args.scales),
                 p.zero_points ? args.zero_points : nullptr, args.ids, static_cast<T*>(args.y), args.status, layout);
  });
}

core::Work gather_quantized_work(const QuantizedProblem& p) {
  core::Work work;
  work.weight_bytes =
      p.rows * (p.hidden * p.bits / 8 + static_cast<std::int64_t>(core::bytes_of(p.type, blocks_of(p))));
  if (p.zero_points) work.weight_bytes += p.rows * ((blocks_of(p) * p.bits + 7) / 8);
  work.activation_bytes = static_cast<std::int64_t>(core::bytes_of(p.type, p.rows * p.hidden)) + p.rows * 8;
  work.flops = 2 * p.rows * p.hidden;
  return work;
}

}  // namespace gonogo::kernels::embedding::cuda
