#include "tests/gpu/dense_case.hpp"

#include <cmath>

#include "tests/catch.hpp"

namespace gonogo::tests {

using kernels::matmul::cuda::Layout;
using kernels::matmul::cuda::Problem;

DenseCase make_dense_case(const Problem& p, unsigned seed) {
  DenseCase c;
  c.problem = p;
  c.x_values = normals(p.type, static_cast<std::size_t>(p.m * p.k), 1.0, seed);
  c.w_values = normals(p.type, static_cast<std::size_t>(p.n * p.k), 0.05, seed + 1);
  c.x = encode(p.type, c.x_values);
  c.w = encode(p.type, c.w_values);
  return c;
}

void check_dense(const DenseCase& c, const Bytes& got) {
  const Problem& p = c.problem;
  const auto product = [&](std::int64_t m, std::int64_t n, std::int64_t k) {
    const std::int64_t w_at = p.layout == Layout::n_k ? n * p.k + k : k * p.n + n;
    return c.x_values[static_cast<std::size_t>(m * p.k + k)] * c.w_values[static_cast<std::size_t>(w_at)];
  };
  std::vector<double> want, bound;
  double heaviest = 0;
  for (std::int64_t m = 0; m < p.m; ++m)
    for (std::int64_t n = 0; n < p.n; ++n) {
      double sum = 0, magnitude = 0;
      for (std::int64_t k = 0; k < p.k; ++k) {
        const double term = product(m, n, k);
        sum += term;
        magnitude += std::abs(term);
        if (m == 0 && n == 0 && std::abs(term) > std::abs(heaviest)) heaviest = term;
      }
      want.push_back(sum);
      bound.push_back(std::ldexp(2 * static_cast<double>(p.k + 1) * magnitude, -24));
      bound.back() += half_ulp(p.output, std::abs(sum) + bound.back());
    }
  const std::vector<double> values = decode(p.output, got);
  const Difference difference = compare(values, want, bound);
  CAPTURE(p.m, p.n, p.k, core::name_of(p.type), core::name_of(p.output), difference.text);
  CHECK(difference.non_finite == 0);
  CHECK(difference.worst_ratio <= 1.0);
  want[0] -= 2 * heaviest;
  CHECK(compare(values, want, bound).worst_ratio > 1.0);
}

}  // namespace gonogo::tests
