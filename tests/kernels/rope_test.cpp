#include <cmath>
#include <cstring>

#include "kernels/rope/rope.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/guarded.hpp"

namespace {

using namespace gonogo;
using kernels::Threads;
using kernels::rope::Problem;
using kernels::rope::Style;

/// A rotation's data: 40 table rows of angles that do not repeat, positions out of order.
struct Case {
  Problem problem;
  std::vector<float> x, cos, sin;
  std::vector<std::int64_t> positions;
};

Case make_case(const Problem& p) {
  Case c{.problem = p, .x = std::vector<float>(static_cast<std::size_t>(p.tokens * p.heads * p.head_dim))};
  for (std::size_t i = 0; i < c.x.size(); ++i)
    c.x[i] = static_cast<float>(static_cast<int>(i * 2654435761u % 2001) - 1000) * 1e-3f;
  for (std::int64_t row = 0; row < 40; ++row)
    for (std::int64_t i = 0; i < p.rotary_dim / 2; ++i) {
      const double angle = static_cast<double>(row) *
                           std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(p.rotary_dim));
      c.cos.push_back(static_cast<float>(std::cos(angle)));
      c.sin.push_back(static_cast<float>(std::sin(angle)));
    }
  for (std::int64_t t = 0; t < p.tokens; ++t) c.positions.push_back((39 - 7 * t % 40 + 40) % 40);
  return c;
}

std::vector<float> run(const Case& c, int threads = 2) {
  const tests::Guarded<float> y(c.x.size());
  const kernels::rope::Layout layout{c.problem.heads * c.problem.head_dim, c.problem.head_dim};
  kernels::rope::rotate(c.problem,
                        {c.x.data(), layout, c.cos.data(), c.sin.data(), c.positions.data(), y.data(), layout},
                        Threads{threads});
  CHECK(y.guard_intact());
  return y.values();
}

/// Worst error against double over a bound of two products and a sum, 2 u (|a c| + |b s|); elements past the rotary
/// width must be copies.
double worst(const Case& c, const std::vector<float>& got) {
  const Problem& p = c.problem;
  const std::int64_t pairs = p.rotary_dim / 2;
  double ratio = 0;
  for (std::int64_t t = 0; t < p.tokens; ++t)
    for (std::int64_t h = 0; h < p.heads; ++h) {
      const auto base = static_cast<std::size_t>((t * p.heads + h) * p.head_dim);
      const auto table = static_cast<std::size_t>(c.positions[static_cast<std::size_t>(t)] * pairs);
      for (std::int64_t i = 0; i < pairs; ++i) {
        const std::size_t a = base + static_cast<std::size_t>(p.style == Style::half ? i : 2 * i);
        const std::size_t b = base + static_cast<std::size_t>(p.style == Style::half ? i + pairs : 2 * i + 1);
        const double cos = c.cos[table + static_cast<std::size_t>(i)], sin = c.sin[table + static_cast<std::size_t>(i)];
        for (const auto& [at, u, v] :
             {std::tuple{a, c.x[a] * cos, -c.x[b] * sin}, std::tuple{b, c.x[b] * cos, c.x[a] * sin}}) {
          const double error = std::abs(got[at] - (u + v));
          const double r = error == 0 ? 0 : error / (2 * 0x1p-24 * (std::abs(u) + std::abs(v)));
          if (!(r <= ratio)) ratio = r;
        }
      }
      for (std::int64_t i = p.rotary_dim; i < p.head_dim; ++i)
        if (got[base + static_cast<std::size_t>(i)] != c.x[base + static_cast<std::size_t>(i)]) return INFINITY;
    }
  return ratio;
}

TEST_CASE("rotary embedding stays within two roundings of double, in both styles, partial and whole", "[kernels]") {
  int ran = 0;
  for (const Style style : {Style::half, Style::interleaved})
    for (const auto& [head_dim, rotary] :
         {std::pair<std::int64_t, std::int64_t>{8, 8}, {16, 16}, {64, 64}, {128, 64}, {96, 32}, {10, 6}})
      for (const std::int64_t tokens : {1, 2, 37}) {
        const Case c =
            make_case({.tokens = tokens, .heads = 3, .head_dim = head_dim, .rotary_dim = rotary, .style = style});
        CAPTURE(head_dim, rotary, tokens);
        CHECK(worst(c, run(c)) <= 1.0);
        ++ran;
      }
  CHECK(ran == 36);
}

TEST_CASE("the rotary bound notices the other style, another position and a shifted table", "[kernels]") {
  const Case c = make_case({.tokens = 3, .heads = 2, .head_dim = 32, .rotary_dim = 16});
  CHECK(worst(c, run(c)) <= 1.0);
  Case wrong = c;
  wrong.problem.style = Style::interleaved;
  CHECK(worst(c, run(wrong)) > 1.0);
  wrong = c;
  wrong.positions[1] += 1;
  CHECK(worst(c, run(wrong)) > 1.0);
  wrong = c;
  for (float& v : wrong.sin) v = std::nextafter(v, 2.0f) * 1.00001f;
  CHECK(worst(c, run(wrong)) > 1.0);
}

TEST_CASE("rotary embedding in place and on more threads has the same bits", "[kernels]") {
  for (const Style style : {Style::half, Style::interleaved}) {
    const Case c = make_case({.tokens = 300, .heads = 14, .head_dim = 64, .rotary_dim = 32, .style = style});
    const std::vector<float> want = run(c, 1);
    CHECK(run(c, 5) == want);
    std::vector<float> in_place = c.x;
    const kernels::rope::Layout layout{14 * 64, 64};
    kernels::rope::rotate(
        c.problem, {in_place.data(), layout, c.cos.data(), c.sin.data(), c.positions.data(), in_place.data(), layout},
        Threads{1});
    CHECK(in_place == want);
  }
}

}  // namespace
