#include "kernels/embedding/cuda/gather.hpp"

#include <random>

#include "tests/catch.hpp"
#include "tests/gpu/gpu_test.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::embedding::cuda;
using core::DType;

namespace {

/// Element `index` of values of `bits` each, low bits first.
int code_at(const Bytes& bytes, std::int64_t first_byte, std::int64_t index, int bits) {
  const std::int64_t per_byte = 8 / bits;
  const auto byte = static_cast<unsigned>(bytes[static_cast<std::size_t>(first_byte + index / per_byte)]);
  return static_cast<int>(byte >> (index % per_byte * bits) & ((1u << bits) - 1));
}

Bytes random_bytes(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& b : bytes) b = static_cast<std::byte>(random() & 0xff);
  return bytes;
}

}  // namespace

TEST_CASE("gathered rows are the table's bits, negative ids wrap and an id out of range is told", "[gpu][embedding]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  for (const DType type : {DType::f16, DType::bf16, DType::f32}) {
    const std::int64_t vocab = 11, hidden = 300;
    const Bytes table = encode(type, normals(type, static_cast<std::size_t>(vocab * hidden), 1.0, 3));
    const std::size_t row_bytes = core::bytes_of(type, hidden);
    const std::vector<std::int64_t> ids{0, 10, -1, -11, 5, 11, -12};
    const DeviceArray on_device(table, stream), wanted(bytes_of_vector(ids), stream);
    const DeviceArray status(bytes_of_vector(std::vector<std::int32_t>{0}), stream);
    Bytes want;
    for (const std::int64_t row : {0, 10, 10, 0, 5}) {
      const auto at = table.begin() + row * static_cast<std::int64_t>(row_bytes);
      want.insert(want.end(), at, at + static_cast<std::ptrdiff_t>(row_bytes));
    }
    const auto run = [&](std::int64_t rows) {
      DeviceArray y(static_cast<std::size_t>(rows) * row_bytes, stream);
      const GatherArgs args{on_device.data(), wanted.as<std::int64_t>(), y.data(), status.as<std::int32_t>()};
      return run_all_ways(stream, y, [&] { gather({rows, vocab, hidden, type}, args, stream); });
    };
    CHECK(run(5) == want);
    CHECK(status.download() == Bytes(4));
    want.resize(want.size() + 2 * row_bytes);  // zeros for the two that are out of range
    CHECK(run(7) == want);
    CHECK(status.download() == bytes_of_vector(std::vector<std::int32_t>{1}));
  }
}

TEST_CASE("quantised rows dequantise exactly as stored for every width, block and form of zero point",
          "[gpu][embedding]") {
  if (!gpu_ready()) return;
  const core::Stream stream;
  int checked = 0;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const int bits : {4, 8})
      for (const std::int64_t block : {16, 32, 128})
        for (int form = 0; form < 3; ++form) {  // default zero, zero points, signed
          if (form == 2 && bits == 8) continue;
          const std::int64_t hidden = block == 32 ? 172 : 128;
          QuantizedProblem p{4, 9, hidden, bits, block, type, form == 1, form == 2 ? 0 : 1 << (bits - 1), form == 2};
          const std::int64_t blocks = (hidden + block - 1) / block;
          const std::int64_t row_bytes = hidden * bits / 8, zero_bytes = (blocks * bits + 7) / 8;
          const Bytes codes = random_bytes(p.vocab * row_bytes, 5), zeros = random_bytes(p.vocab * zero_bytes, 6);
          const std::vector<double> scales = normals(type, static_cast<std::size_t>(p.vocab * blocks), 0.05, 7);
          const std::vector<std::int64_t> ids{8, 0, -2, 3}, rows{8, 0, 7, 3};
          const DeviceArray data(codes, stream), factors(encode(type, scales), stream), offsets(zeros, stream),
              wanted(bytes_of_vector(ids), stream);
          DeviceArray y(core::bytes_of(type, p.rows * hidden), stream);
          QuantizedArgs args{data.as<std::uint8_t>(), factors.data(), form == 1 ? offsets.as<std::uint8_t>() : nullptr,
                             wanted.as<std::int64_t>(), y.data()};
          std::vector<double> want;
          for (const std::int64_t row : rows)
            for (std::int64_t i = 0; i < hidden; ++i) {
              int code = code_at(codes, row * row_bytes, i, bits);
              if (form == 2 && code > 7) code -= 16;
              const int zero = form == 1 ? code_at(zeros, row * zero_bytes, i / block, bits) : p.default_zero;
              want.push_back((code - zero) * scales[static_cast<std::size_t>(row * blocks + i / block)]);
            }
          CAPTURE(bits, block, form, core::name_of(type));
          // One product, exact in double, rounded once: to float32 and then to the type, which for 16 bits may differ
          // from one rounding only at a tie that float32 itself made; none of these products needs more than 24 bits.
          CHECK(run_all_ways(stream, y, [&] { gather_quantized(p, args, stream); }) == encode(type, want));
          ++checked;
        }
  CHECK(checked == 45);
}

TEST_CASE("a quantised table that the kernel cannot take is refused with rule, wanted and got", "[gpu][embedding]") {
  if (!gpu_ready()) return;
  QuantizedProblem p{1, 4, 33, 4, 32};
  CHECK(to_string(eligible(p).reason()) == "hidden, a multiple of: wanted 2, got 33");
  p.hidden = 32;
  p.bits = 2;
  CHECK(to_string(eligible(p).reason()) == "bits, one of: wanted 4, 8, got 2");
}
