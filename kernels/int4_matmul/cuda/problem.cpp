#include "kernels/int4_matmul/cuda/problem.hpp"

#include <limits>
#include <string>

namespace gonogo::kernels::int4_matmul::cuda {

core::Eligibility eligible(const Problem& p) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (p.m < 1 || p.n < 1 || p.k < 1 || p.m > kMost || p.n > kMost || p.k > kMost)
    return core::refuse("extents m, n, k", "1 to 2^31 - 1",
                        std::to_string(p.m) + ", " + std::to_string(p.n) + ", " + std::to_string(p.k));
  if (p.bits != 4 && p.bits != 8) return core::refuse("bits, one of", "4, 8", std::to_string(p.bits));
  if (p.block_size < 16 || p.block_size > 1024 || (p.block_size & (p.block_size - 1)) != 0)
    return core::refuse("block_size", "a power of two, 16 to 1024", std::to_string(p.block_size));
  if (!core::is_float(p.type))
    return core::refuse("activation type, one of", "float32, float16, bfloat16", std::string(core::name_of(p.type)));
  return core::accept();
}

core::Work work(const Problem& p) {
  const auto typed = [&p](std::int64_t count) { return static_cast<std::int64_t>(core::bytes_of(p.type, count)); };
  core::Work work;
  work.weight_bytes = p.n * p.row_bytes() + typed(p.n * p.blocks());
  if (p.zero_points == ZeroPoints::packed) work.weight_bytes += p.n * p.zero_point_row_bytes();
  if (p.zero_points == ZeroPoints::typed) work.weight_bytes += typed(p.n * p.blocks());
  if (p.bias) work.weight_bytes += typed(p.n);
  work.activation_bytes = typed(p.m * p.k + p.m * p.n);
  work.flops = 2 * p.m * p.n * p.k + (p.bias ? p.m * p.n : 0);
  return work;
}

}  // namespace gonogo::kernels::int4_matmul::cuda
