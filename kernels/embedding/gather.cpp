#include "kernels/embedding/gather.hpp"

#include <cstring>
#include <string>

#include "harness/core/half.hpp"

namespace gonogo::kernels::embedding {
namespace {

using Storage = QuantizedRows::Storage;

/// Value `at` of packed bytes whose low bits come first.
int packed(const std::uint8_t* bytes, std::int64_t at, int bits) {
  const std::int64_t per_byte = 8 / bits;
  return (bytes[at / per_byte] >> (static_cast<int>(at % per_byte) * bits)) & ((1 << bits) - 1);
}

int signed_nibble(int value) { return value >= 8 ? value - 16 : value; }

std::int64_t zero_point_row_bytes(const QuantizedRows& p) { return (p.blocks() * p.bits + 7) / 8; }

int zero_point(const QuantizedRows& p, const QuantizedRowsArgs& args, std::int64_t row, std::int64_t block) {
  if (!p.zero_points) return p.storage == Storage::bytes ? 1 << (p.bits - 1) : 0;
  if (p.storage == Storage::bytes) return packed(args.zero_points + row * zero_point_row_bytes(p), block, p.bits);
  const int value = packed(args.zero_points, row * p.blocks() + block, 4);
  return p.storage == Storage::i4 ? signed_nibble(value) : value;
}

float scale(const QuantizedRows& p, const QuantizedRowsArgs& args, std::int64_t at) {
  return p.scales == core::DType::f16 ? core::f16_to_f32(static_cast<const std::uint16_t*>(args.scales)[at])
                                      : static_cast<const float*>(args.scales)[at];
}

}  // namespace

std::optional<std::int64_t> Indices::out_of_range(std::int64_t extent) const {
  for (std::int64_t i = 0; i < count; ++i)
    if (at(i) < -extent || at(i) >= extent) return i;
  return std::nullopt;
}

void gather(const GatherProblem& p, const std::byte* data, const Indices& indices, std::byte* out) {
  if (p.inner_bytes == 0) return;
  for (std::int64_t o = 0; o < p.outer; ++o)
    for (std::int64_t i = 0; i < indices.count; ++i) {
      const std::int64_t from = o * p.extent + indices.wrapped(i, p.extent);
      std::memcpy(out + static_cast<std::size_t>(o * indices.count + i) * p.inner_bytes,
                  data + static_cast<std::size_t>(from) * p.inner_bytes, p.inner_bytes);
    }
}

core::Eligibility eligible(const QuantizedRows& p) {
  if (p.storage == Storage::bytes ? p.bits != 2 && p.bits != 4 && p.bits != 8 : p.bits != 4)
    return core::refuse("bits, one of", p.storage == Storage::bytes ? "2, 4, 8" : "4", std::to_string(p.bits));
  if (p.block_size < 16 || (p.block_size & (p.block_size - 1)) != 0)
    return core::refuse("block_size", "a power of two, 16 or more", std::to_string(p.block_size));
  if (p.scales != core::DType::f32 && p.scales != core::DType::f16)
    return core::refuse("scales, one of", "float32, float16", std::string(core::name_of(p.scales)));
  return core::accept();
}

core::Work work(const QuantizedRows& p, std::int64_t count) {
  core::Work work;
  work.weight_bytes =
      count * ((p.width * p.bits + 7) / 8 + static_cast<std::int64_t>(core::bytes_of(p.scales, p.blocks())));
  if (p.zero_points) work.weight_bytes += count * zero_point_row_bytes(p);
  work.activation_bytes = count * (8 + p.width * 4);
  work.flops = 2 * count * p.width;
  return work;
}

void gather_quantized(const QuantizedRows& p, const QuantizedRowsArgs& args, const Indices& indices) {
  for (std::int64_t i = 0; i < indices.count; ++i) {
    const std::int64_t row = indices.wrapped(i, p.rows);
    float* out = args.out + i * p.width;
    for (std::int64_t b = 0; b < p.blocks(); ++b) {
      const int zero = zero_point(p, args, row, b);
      const float step = scale(p, args, row * p.blocks() + b);
      for (std::int64_t k = b * p.block_size; k < p.width && k < (b + 1) * p.block_size; ++k) {
        // Rows of `bytes` are whole bytes, so row * width is a whole byte too: one addressing for all storages.
        const int value = packed(args.data, row * p.width + k, p.bits);
        out[k] = static_cast<float>((p.storage == Storage::i4 ? signed_nibble(value) : value) - zero) * step;
      }
    }
  }
}

}  // namespace gonogo::kernels::embedding
