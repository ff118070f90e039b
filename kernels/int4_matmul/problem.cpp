#include "kernels/int4_matmul/problem.hpp"

#include <string>

namespace gonogo::kernels::int4_matmul {

core::Eligibility eligible(const Problem& p) {
  if (p.m < 0 || p.n < 0 || p.k < 0)
    return core::refuse("extents m, n, k", "not negative",
                        std::to_string(p.m) + ", " + std::to_string(p.n) + ", " + std::to_string(p.k));
  if (p.bits != 2 && p.bits != 4 && p.bits != 8) return core::refuse("bits, one of", "2, 4, 8", std::to_string(p.bits));
  switch (p.block_size) {
    case 16:
    case 32:
    case 64:
    case 128:
    case 256:
      break;
    default:
      return core::refuse("block_size, one of", "16, 32, 64, 128, 256", std::to_string(p.block_size));
  }
  if (p.scales != core::DType::f32 && p.scales != core::DType::f16)
    return core::refuse("scales, one of", "float32, float16", std::string(core::name_of(p.scales)));
  if (p.group_index && p.zero_points != ZeroPoints::none)
    return core::refuse("zero_points beside g_idx", "absent", "present");
  return core::accept();
}

core::Work work(const Problem& p) {
  const std::int64_t blocks = p.n * p.blocks();
  core::Work work;
  work.weight_bytes = blocks * p.block_bytes() + static_cast<std::int64_t>(core::bytes_of(p.scales, blocks));
  if (p.zero_points == ZeroPoints::packed) work.weight_bytes += p.n * p.zero_point_row_bytes();
  if (p.zero_points == ZeroPoints::f32) work.weight_bytes += blocks * 4;
  if (p.zero_points == ZeroPoints::f16) work.weight_bytes += blocks * 2;
  if (p.group_index) work.weight_bytes += p.k * 4;
  if (p.bias) work.weight_bytes += p.n * 4;
  work.activation_bytes = (p.m * p.k + p.m * p.n) * 4;
  work.flops = 2 * p.m * p.n * p.k + (p.bias ? p.m * p.n : 0);
  return work;
}

}  // namespace gonogo::kernels::int4_matmul
