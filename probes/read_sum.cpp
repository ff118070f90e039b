#include "probes/read_sum.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "probes/read_sum.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace gonogo::probes::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t read_sum_simd(const std::byte* data, std::size_t bytes) {
  const hn::ScalableTag<std::uint64_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto* words = reinterpret_cast<const std::uint64_t*>(data);
  const std::size_t count = bytes / sizeof(std::uint64_t);
  auto a = hn::Zero(tag), b = a, c = a, d = a;  // four chains hide the latency of the adds
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    a = hn::Add(a, hn::Load(tag, words + i));
    b = hn::Add(b, hn::Load(tag, words + i + lanes));
    c = hn::Add(c, hn::Load(tag, words + i + 2 * lanes));
    d = hn::Add(d, hn::Load(tag, words + i + 3 * lanes));
  }
  // Not SumOfLanes: GCC's AVX-512 header reduces unsigned lanes as signed numbers, whose overflow is undefined.
  HWY_ALIGN std::uint64_t parts[hn::MaxLanes(tag)];
  hn::Store(hn::Add(hn::Add(a, b), hn::Add(c, d)), tag, parts);
  std::uint64_t sum = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) sum += parts[lane];
  for (; i < count; ++i) sum += words[i];
  return sum;
}

}  // namespace gonogo::probes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace gonogo::probes {
HWY_EXPORT(read_sum_simd);
std::uint64_t read_sum(const std::byte* data, std::size_t bytes) {
  return HWY_DYNAMIC_DISPATCH(read_sum_simd)(data, bytes);
}
}  // namespace gonogo::probes
#endif
