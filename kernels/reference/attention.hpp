// Attention in double, from exactly the bits a kernel reads, with the error a float32 kernel may make; and seeded
// problems.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention/attention.hpp"

namespace gonogo::kernels::reference {

struct AttentionExpected {
  std::vector<double> value;  // [batch, rows, heads, head_dim]
  /// Bound on |kernel - value| per element, u = 2^-24, gamma(i) = i u / (1 - i u), n keys, p_k the softmax, s_k the
  /// score:
  ///   d_k = (gamma(D + 2) + u) scale sum|q_i k_i| + 16 u softcap + 2 u |s_k| + u |s_k - max|    error of a score
  ///   e_k = expm1(d_k) + 5 u                                                                   relative error of a
  ///   term bound = sum_k p_k |v_k| (e_k + max e + 2 gamma(n + 10)) + n 2^-126 max|v|
  /// The maximum itself cancels between the terms and their sum.
  std::vector<double> bound;
};

/// A problem's data, owned. Cache rows past the valid ones are NaN.
struct AttentionCase {
  attention::Problem problem;
  std::vector<float> query;  // [batch, rows, heads, head_dim]
  std::vector<std::byte> keys, values;
  std::vector<std::int64_t> first, valid;
  std::vector<float> bias;   // [batch, heads, rows, capacity] or empty
  std::vector<float> sinks;  // [heads] or empty
  /// Pointers into this case; `output` is the caller's, as `query`.
  [[nodiscard]] attention::Args args(float* output) const;
};

struct AttentionExtras {
  bool bias = false, sinks = false;
};
/// Row 0 of entry b stands at cache row past + b, and rows up to past + b + rows are valid: the capacity must hold
/// them.
[[nodiscard]] AttentionCase attention_case(const attention::Problem& problem, std::int64_t past, AttentionExtras extras,
                                           std::uint64_t seed);

[[nodiscard]] AttentionExpected attention_expected(const AttentionCase& input);

}  // namespace gonogo::kernels::reference
