#include "kernels/matmul/cuda/dense.hpp"

#include <limits>
#include <string>

namespace gonogo::kernels::matmul::cuda {

core::Eligibility eligible(const Problem& p) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (p.m < 1 || p.n < 1 || p.k < 1 || p.m > kMost || p.n > kMost || p.k > kMost)
    return core::refuse("extents m, n, k", "1 to 2^31 - 1",
                        std::to_string(p.m) + ", " + std::to_string(p.n) + ", " + std::to_string(p.k));
  if (!core::is_float(p.type))
    return core::refuse("type, one of", "float32, float16, bfloat16", std::string(core::name_of(p.type)));
  if (p.output != core::DType::f32 && p.output != p.type)
    return core::refuse("output, float32 or", std::string(core::name_of(p.type)), std::string(core::name_of(p.output)));
  return core::accept();
}

core::Eligibility mma_eligible(const Problem& p) {
  if (const core::Eligibility family = eligible(p); !family) return family;
  if (p.type == core::DType::f32) return core::refuse("type, one of", "float16, bfloat16", "float32");
  if (p.layout != Layout::n_k) return core::refuse("weights lie as", "[n, k]", "[k, n]");
  if (p.k % 64 != 0) return core::refuse("k, a multiple of", 64, p.k);
  constexpr std::int64_t kMostRows = std::int64_t{65535} * 16;
  if (p.m > kMostRows) return core::refuse("m, at most", kMostRows, p.m);
  return core::accept();
}

core::Work work(const Problem& p) {
  core::Work work;
  work.weight_bytes = static_cast<std::int64_t>(core::bytes_of(p.type, p.n * p.k));
  work.activation_bytes =
      static_cast<std::int64_t>(core::bytes_of(p.type, p.m * p.k) + core::bytes_of(p.output, p.m * p.n));
  work.flops = 2 * p.m * p.n * p.k;
  return work;
}

}  // namespace gonogo::kernels::matmul::cuda
