#include "kernels/reference/matmul.hpp"

#include <cmath>

#include "harness/core/half.hpp"

namespace gonogo::kernels::reference {

MatmulExpected matmul(const matmul::Problem& p, const matmul::Args& args) {
  const double nu = static_cast<double>(p.k + 1) * 0x1p-24;
  MatmulExpected out;
  for (std::int64_t m = 0; m < p.m; ++m)
    for (std::int64_t n = 0; n < p.n; ++n) {
      double sum = 0.0;
      double magnitude = 0.0;
      for (std::int64_t k = 0; k < p.k; ++k) {
        const std::int64_t at = p.transposed ? n * p.k + k : k * p.n + n;
        const double w = p.weights == core::DType::f16 ? core::f16_to_f32(static_cast<const std::uint16_t*>(args.w)[at])
                                                       : static_cast<const float*>(args.w)[at];
        const double term = args.a[m * p.k + k] * w;
        sum += term;
        magnitude += std::fabs(term);
      }
      out.value.push_back(sum);
      out.bound.push_back(nu / (1.0 - nu) * magnitude);
    }
  return out;
}

}  // namespace gonogo::kernels::reference
