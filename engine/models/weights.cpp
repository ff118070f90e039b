#include "engine/models/weights.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string_view>

#include "harness/core/error.hpp"
#include "harness/core/half.hpp"

namespace gonogo::models {
namespace {

static_assert(std::endian::native == std::endian::little, "ONNX raw data is little-endian");

// 12 bits choose a value: the table stays in the L1 cache, which makes drawing as fast as writing to the page cache.
constexpr std::size_t kDraws = 4096;
constexpr std::int64_t kWord = 8;  // bytes a counter step yields

/// Stafford's mix 13, the finaliser of SplitMix64: a bijection whose output passes the usual statistical batteries.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

std::uint64_t key_of(std::string_view name, std::uint64_t seed) {
  std::uint64_t key = mix(seed + 0x9e3779b97f4a7c15u);
  for (const char c : name) key = mix(key ^ static_cast<unsigned char>(c));
  return key;
}

/// The normal distribution's quantiles at (i + 1/2) / kDraws, by Newton's method from the middle outwards: each starts
/// below its root, where the distribution function is concave, so the iteration rises to it.
std::array<double, kDraws> normal_quantiles() {
  std::array<double, kDraws> quantiles{};
  double x = 0.0;
  for (std::size_t i = kDraws / 2; i < kDraws; ++i) {
    const double target = (double(i) + 0.5) / double(kDraws);
    for (int step = 0; step < 8; ++step) {
      const double below = 0.5 * std::erfc(-x / std::numbers::sqrt2);
      x += (target - below) * std::sqrt(2.0 * std::numbers::pi) * std::exp(0.5 * x * x);
    }
    quantiles[i] = x;
    quantiles[kDraws - 1 - i] = -x;
  }
  return quantiles;
}

std::array<double, kDraws> draws_of(const TensorSpec& tensor, bool symmetric) {
  std::array<double, kDraws> draws{};
  if (tensor.fill == Fill::gaussian) {
    const auto quantiles = normal_quantiles();
    for (std::size_t i = 0; i < kDraws; ++i) draws[i] = tensor.mean + tensor.spread * quantiles[i];
  } else {
    for (std::size_t i = 0; i < kDraws; ++i) {
      const double magnitude = tensor.spread * (0.75 + 0.5 * (double(i / 2) + 0.5) / (kDraws / 2));
      draws[i] = symmetric && i % 2 == 1 ? -magnitude : magnitude;
    }
  }
  return draws;
}

void store(core::DType dtype, double value, std::byte* to) {
  const float rounded = static_cast<float>(value);
  if (dtype == core::DType::f16) {
    const std::uint16_t half = core::f32_to_f16(rounded);
    std::memcpy(to, &half, sizeof half);
  } else {
    std::memcpy(to, &rounded, sizeof rounded);
  }
}

std::int64_t element_bytes(const TensorSpec& tensor) { return core::bits_of(tensor.dtype) / 8; }

/// Copies `count` values chosen by the 16-bit lanes of counter words; `first` is a multiple of 4.
template <class T>
void draw(const std::byte* values, std::int64_t first, std::span<std::byte> out, auto word) {
  const auto count = static_cast<std::int64_t>(out.size() / sizeof(T));
  for (std::int64_t at = 0; at < count; at += 4) {
    const std::uint64_t bits = word((first + at) / 4);
    std::array<T, 4> lanes;
    for (std::size_t lane = 0; lane < 4; ++lane)
      std::memcpy(&lanes[lane], values + ((bits >> (16 * lane)) % kDraws) * sizeof(T), sizeof(T));
    const auto taken = static_cast<std::size_t>(std::min<std::int64_t>(4, count - at));
    std::memcpy(out.data() + static_cast<std::size_t>(at) * sizeof(T), lanes.data(), taken * sizeof(T));
  }
}

}  // namespace

TensorBytes::TensorBytes(const ModelSpec& spec, const TensorSpec& tensor, std::uint64_t seed)
    : tensor_(tensor), rotary_dim_(spec.rotary_dim), rope_theta_(spec.rope_theta), key_(key_of(tensor.name, seed)) {
  if (tensor.fill != Fill::gaussian && tensor.fill != Fill::scales) return;
  const auto size = static_cast<std::size_t>(element_bytes(tensor));
  values_.resize(kDraws * size);
  const auto draws = draws_of(tensor, spec.symmetric);
  for (std::size_t i = 0; i < kDraws; ++i) store(tensor.dtype, draws[i], values_.data() + i * size);
}

std::uint64_t TensorBytes::word(std::int64_t index) const {
  return mix(key_ + 0x9e3779b97f4a7c15u * static_cast<std::uint64_t>(index + 1));
}

void TensorBytes::fill(std::int64_t begin, std::span<std::byte> out) const {
  GONOGO_EXPECT(begin % kWord == 0, std::to_string(begin));
  GONOGO_EXPECT(begin + static_cast<std::int64_t>(out.size()) <= tensor_.bytes, tensor_.name);
  switch (tensor_.fill) {
    case Fill::gaussian:
    case Fill::scales:
      return fill_drawn(begin, out);
    case Fill::cosine:
    case Fill::sine:
      return fill_rotary(begin, out);
    case Fill::codes:
    case Fill::zero_points:
      return fill_packed(begin, out);
  }
}

void TensorBytes::fill_drawn(std::int64_t begin, std::span<std::byte> out) const {
  const auto next = [this](std::int64_t index) { return word(index); };
  const std::int64_t first = begin / element_bytes(tensor_);
  // Ranges begin at multiples of 8 bytes, which for float32 may be the middle of a word's four values.
  const std::int64_t inside = first % 4;
  if (inside != 0) {
    const auto size = static_cast<std::size_t>(element_bytes(tensor_));
    std::array<std::byte, 16> group{};
    const auto head = std::min(out.size(), static_cast<std::size_t>(4 - inside) * size);
    draw<float>(values_.data(), first - inside, std::span(group), next);
    std::memcpy(out.data(), group.data() + static_cast<std::size_t>(inside) * size, head);
    if (head < out.size()) fill_drawn(begin + static_cast<std::int64_t>(head), out.subspan(head));
    return;
  }
  if (tensor_.dtype == core::DType::f16)
    draw<std::uint16_t>(values_.data(), first, out, next);
  else
    draw<float>(values_.data(), first, out, next);
}

/// As the exporter does: inverse frequencies and angles in float32, stored in the io type.
void TensorBytes::fill_rotary(std::int64_t begin, std::span<std::byte> out) const {
  const std::int64_t columns = tensor_.dims.at(1), size = element_bytes(tensor_);
  std::vector<float> frequency(static_cast<std::size_t>(columns));
  for (std::int64_t i = 0; i < columns; ++i)
    frequency[static_cast<std::size_t>(i)] =
        static_cast<float>(1.0 / std::pow(rope_theta_, double(2 * i) / double(rotary_dim_)));
  const auto count = static_cast<std::int64_t>(out.size()) / size;
  for (std::int64_t at = 0; at < count; ++at) {
    const std::int64_t element = begin / size + at;
    const float angle = static_cast<float>(element / columns) * frequency[static_cast<std::size_t>(element % columns)];
    store(tensor_.dtype, tensor_.fill == Fill::cosine ? std::cos(double(angle)) : std::sin(double(angle)),
          out.data() + at * size);
  }
}

/// Codes are used as drawn; zero points are brought near the middle. Then the padding at the end of each row is
/// written.
void TensorBytes::fill_packed(std::int64_t begin, std::span<std::byte> out) const {
  const auto size = static_cast<std::int64_t>(out.size());
  const bool codes = tensor_.fill == Fill::codes;
  for (std::int64_t at = 0; at < size; at += kWord) {
    std::uint64_t bits = word((begin + at) / kWord);
    if (!codes) bits = (bits & 0x3333333333333333u) + 0x6666666666666666u;
    std::memcpy(out.data() + at, &bits, static_cast<std::size_t>(std::min(kWord, size - at)));
  }
  const std::int64_t row_bytes = tensor_.bytes / tensor_.dims.at(0);
  if (row_bytes * 2 == tensor_.row) return;  // no padding
  const auto pad = std::byte{static_cast<unsigned char>(codes ? 0x88 : 0x00)};
  for (std::int64_t row = begin / row_bytes; row * row_bytes < begin + size; ++row) {
    const std::int64_t end = (row + 1) * row_bytes - begin;
    std::int64_t at = row * row_bytes + tensor_.row / 2 - begin;
    if (tensor_.row % 2 == 1) {  // the high half of a shared byte
      if (at >= 0 && at < size)
        out[static_cast<std::size_t>(at)] =
            (out[static_cast<std::size_t>(at)] & std::byte{0x0f}) | (pad & std::byte{0xf0});
      ++at;
    }
    for (at = std::max<std::int64_t>(at, 0); at < std::min(end, size); ++at) out[static_cast<std::size_t>(at)] = pad;
  }
}

}  // namespace gonogo::models
