#include <limits>
#include <string>

#include "kernels/norm/cuda/norm.hpp"

namespace gonogo::kernels::norm::cuda {

core::Eligibility eligible(const Problem& p) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (p.rows < 1 || p.rows > kMost) return core::refuse("rows, 1 to", kMost, p.rows);
  if (p.hidden < 1 || p.hidden > kMost) return core::refuse("hidden, 1 to", kMost, p.hidden);
  if (p.skip_rows < 0 || (p.skip_rows > 0 && p.rows % p.skip_rows != 0))
    return core::refuse("rows, a multiple of the skip's", std::to_string(p.skip_rows), std::to_string(p.rows));
  if (!core::is_float(p.type))
    return core::refuse("type, one of", "float32, float16, bfloat16", std::string(core::name_of(p.type)));
  return core::accept();
}

core::Work work(const Problem& p) {
  const auto bytes = [&p](bool f32, std::int64_t count) {
    return static_cast<std::int64_t>(core::bytes_of(f32 ? core::DType::f32 : p.type, count));
  };
  const std::int64_t count = p.rows * p.hidden;
  core::Work work;
  work.weight_bytes = bytes(p.f32_gamma, p.hidden * (p.beta ? 2 : 1)) + bytes(false, p.skip_bias ? p.hidden : 0);
  const std::int64_t skip_rows = !p.skip ? 0 : p.skip_rows != 0 ? p.skip_rows : p.rows;
  work.activation_bytes =
      bytes(false, count * (p.sum_output ? 2 : 1) + skip_rows * p.hidden) + bytes(p.f32_output, count);
  const bool layer = p.kind == Kind::layer;
  work.flops = count * (4 + (p.skip ? 1 : 0) + (p.skip_bias ? 1 : 0) + (layer ? 2 : 0) + (p.beta ? 1 : 0));
  return work;
}

}  // namespace gonogo::kernels::norm::cuda
