#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "harness/core/half.hpp"
#include "kernels/embedding/gather.hpp"
#include "tests/catch.hpp"
#include "tests/kernels/guarded.hpp"

namespace {

using namespace gonogo;
using kernels::embedding::Indices;
using kernels::embedding::QuantizedRows;
using Storage = QuantizedRows::Storage;

TEST_CASE("gather copies rows of any width along an axis and wraps negative indices", "[kernels]") {
  const std::vector<std::int32_t> data = {0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15};  // [2, 3, 2]
  const std::vector<std::int64_t> at = {2, -3, 2, -1};
  const Indices indices{core::DType::i64, at.data(), 4};
  REQUIRE_FALSE(indices.out_of_range(3));
  const tests::Guarded<std::int32_t> out(16);
  kernels::embedding::gather({2, 3, 8}, reinterpret_cast<const std::byte*>(data.data()), indices,
                             reinterpret_cast<std::byte*>(out.data()));
  CHECK(out.guard_intact());
  CHECK(out.values() == std::vector<std::int32_t>{4, 5, 0, 1, 4, 5, 4, 5, 14, 15, 10, 11, 14, 15, 14, 15});
}

TEST_CASE("the first index outside the table is named", "[kernels]") {
  const std::vector<std::int32_t> at = {0, -5, 4, 5, -6};
  CHECK(Indices{core::DType::i32, at.data(), 3}.out_of_range(5) == std::nullopt);
  CHECK(Indices{core::DType::i32, at.data(), 5}.out_of_range(5) == 3);
  CHECK(Indices{core::DType::i32, at.data(), 3}.out_of_range(4) == 1);
}

struct Table {
  QuantizedRows problem;
  std::vector<std::uint8_t> data, zero_points;
  std::vector<float> scales;
  std::vector<std::uint16_t> half_scales;
};

Table make_table(const QuantizedRows& p) {
  std::mt19937 random(3);
  Table t{p, {}, {}, {}, {}};
  const bool bytes = p.storage == Storage::bytes;
  t.data.resize(static_cast<std::size_t>((p.rows * p.width * p.bits + 7) / 8));
  t.zero_points.resize(
      static_cast<std::size_t>(bytes ? p.rows * ((p.blocks() * p.bits + 7) / 8) : (p.rows * p.blocks() + 1) / 2));
  for (auto& byte : t.data) byte = static_cast<std::uint8_t>(random());
  for (auto& byte : t.zero_points) byte = static_cast<std::uint8_t>(random());
  for (std::int64_t i = 0; i < p.rows * p.blocks(); ++i) {
    t.half_scales.push_back(core::f32_to_f16(static_cast<float>(random() % 1000) / 1000.0F - 0.5F));
    t.scales.push_back(core::f16_to_f32(t.half_scales.back()));
  }
  return t;
}

/// Bits [bit, bit + width) of a byte string whose low bits come first.
int bits_at(const std::vector<std::uint8_t>& bytes, std::int64_t bit, int width) {
  int value = 0;
  for (int i = 0; i < width; ++i)
    value |= ((bytes[static_cast<std::size_t>((bit + i) / 8)] >> ((bit + i) % 8)) & 1) << i;
  return value;
}

float expected(const Table& t, std::int64_t row, std::int64_t k) {
  const QuantizedRows& p = t.problem;
  const auto sign = [&](int v) { return p.storage == Storage::i4 && v > 7 ? v - 16 : v; };
  const std::int64_t block = k / p.block_size;
  const bool bytes = p.storage == Storage::bytes;
  int zero = bytes ? 1 << (p.bits - 1) : 0;
  if (p.zero_points) {
    const std::int64_t row_bits = bytes ? (p.blocks() * p.bits + 7) / 8 * 8 : p.blocks() * 4;
    zero = sign(bits_at(t.zero_points, row * row_bits + block * p.bits, p.bits));
  }
  const int value = sign(bits_at(t.data, (row * p.width + k) * p.bits, p.bits));
  return static_cast<float>(value - zero) * t.scales[static_cast<std::size_t>(row * p.blocks() + block)];
}

TEST_CASE("quantised rows come back exactly for every storage, width, block and zero point", "[kernels]") {
  int ran = 0;
  const std::vector<std::int64_t> at = {4, 0, -1, 4, -5};
  const Indices indices{core::DType::i64, at.data(), 5};
  for (const auto storage : {Storage::bytes, Storage::u4, Storage::i4})
    for (const int bits : {2, 4, 8})
      for (const std::int64_t block : {16, 32, 512})
        for (const std::int64_t width : {16, 44, 80, 33})
          for (const bool zero_points : {false, true})
            for (const auto scales : {core::DType::f32, core::DType::f16}) {
              const QuantizedRows p{storage, bits, 5, width, block, scales, zero_points};
              if (!kernels::embedding::eligible(p) || (storage == Storage::bytes && width * bits % 8 != 0)) continue;
              const Table t = make_table(p);
              const tests::Guarded<float> out(static_cast<std::size_t>(5 * width));
              kernels::embedding::QuantizedRowsArgs args;
              args.data = t.data.data();
              args.scales =
                  scales == core::DType::f16 ? static_cast<const void*>(t.half_scales.data()) : t.scales.data();
              args.zero_points = t.zero_points.data();
              args.out = out.data();
              kernels::embedding::gather_quantized(p, args, indices);
              CHECK(out.guard_intact());
              int wrong = 0;
              for (std::int64_t i = 0; i < 5; ++i)
                for (std::int64_t k = 0; k < width; ++k)
                  if (!(out.data()[i * width + k] == expected(t, indices.wrapped(i, 5), k))) ++wrong;
              INFO("storage " << static_cast<int>(storage) << " bits " << bits << " block " << block << " width "
                              << width);
              CHECK(wrong == 0);
              ++ran;
            }
  CHECK(ran > 150);
}

TEST_CASE("quantised rows refuse other widths, blocks and scale types with rule, wanted and got", "[kernels]") {
  using kernels::embedding::eligible;
  CHECK(eligible({Storage::bytes, 3, 5, 32, 32}).reason() == core::Refusal{"bits, one of", "2, 4, 8", "3"});
  CHECK(eligible({Storage::i4, 8, 5, 32, 32}).reason() == core::Refusal{"bits, one of", "4", "8"});
  for (const std::int64_t block : {0, 8, 24, -32})
    CHECK(eligible({Storage::bytes, 4, 5, 32, block}).reason().got == std::to_string(block));
  CHECK(eligible({Storage::bytes, 4, 5, 32, 32, core::DType::bf16}).reason().got == "bfloat16");
}

}  // namespace
