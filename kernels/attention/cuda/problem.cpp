#include <algorithm>
#include <string>

#include "kernels/attention/cuda/attention.hpp"

namespace gonogo::kernels::attention::cuda {

core::Eligibility eligible(const Problem& p) {
  if (p.rows < 1 || p.rows > 65535) return core::refuse("rows, 1 to", 65535, p.rows);
  if (p.heads < 1 || p.kv_heads < 1 || p.heads % p.kv_heads != 0)
    return core::refuse("query heads, a multiple of the KV heads", std::to_string(p.kv_heads), std::to_string(p.heads));
  if (p.heads / p.kv_heads > 16) return core::refuse("query heads per KV head, at most", 16, p.heads / p.kv_heads);
  if (p.heads > 65535) return core::refuse("query heads, at most", 65535, p.heads);
  if (p.head_dim < 8 || p.head_dim > 256 || p.head_dim % 8 != 0)
    return core::refuse("head_dim", "a multiple of 8, 8 to 256", std::to_string(p.head_dim));
  if (p.capacity < 1) return core::refuse("capacity, at least", 1, p.capacity);
  if (p.window < -1) return core::refuse("window, at least", -1, p.window);
  if (p.bias_heads != 0 && p.bias_heads != 1 && p.bias_heads != p.heads)
    return core::refuse("planes of the bias, one of", "0, 1, " + std::to_string(p.heads), std::to_string(p.bias_heads));
  if (!core::is_float(p.type))
    return core::refuse("type, one of", "float32, float16, bfloat16", std::string(core::name_of(p.type)));
  return core::accept();
}

core::Work work(const Problem& p, std::int64_t past) {
  const auto typed = [&p](std::int64_t count) { return static_cast<std::int64_t>(core::bytes_of(p.type, count)); };
  core::Work work;
  work.activation_bytes = typed(2 * p.rows * p.heads * p.head_dim);
  const std::int64_t total = past + p.rows;
  const std::int64_t seen = p.window >= 0 ? std::min(total, p.window + p.rows - 1) : total;
  work.kv_bytes = typed(2 * seen * p.kv_heads * p.head_dim);
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const std::int64_t keys = p.window >= 0 ? std::min(past + row + 1, p.window) : past + row + 1;
    work.flops += keys * p.heads * (4 * p.head_dim + 4);
  }
  return work;
}

}  // namespace gonogo::kernels::attention::cuda
