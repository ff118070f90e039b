// Decoders: packed codes of one step to float32 weights w = (q - zp) * scale in registers.
#if defined(GONOGO_INT4_DECODE_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef GONOGO_INT4_DECODE_INL_HPP
#undef GONOGO_INT4_DECODE_INL_HPP
#else
#define GONOGO_INT4_DECODE_INL_HPP
#endif

#include <hwy/highway.h>

#include "kernels/int4_matmul/problem.hpp"

HWY_BEFORE_NAMESPACE();
namespace gonogo::kernels::int4_matmul::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D_>
struct Pair {
  hn::Vec<D_> first;
  hn::Vec<D_> second;
};

/// 4-bit codes, zero point 8 unless kZeroPoints: a step is `lanes` bytes, low nibbles first, high nibbles second.
template <class D_, bool kHasZeroPoints, std::int64_t kBlock>
class Nibbles {
 public:
  using D = D_;
  static constexpr bool kZeroPoints = kHasZeroPoints;
  static constexpr bool kPair = true;
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  static constexpr std::int64_t kStepBytes = kLanes;
  static constexpr std::int64_t kStepValues = 2 * kLanes;
  static std::int64_t Steps(const Problem& p) { return (kBlock == 0 ? p.block_size : kBlock) / kStepValues; }

  Nibbles() = default;
  HWY_INLINE Nibbles(float scale, float zero_point)
      : scale_(hn::Set(D(), scale)), zero_point_(hn::Set(D(), kHasZeroPoints ? zero_point : 8.0F)) {
    if constexpr (kLanes == 16) scale_ = hn::Mul(hn::Sub(hn::Iota(D(), 0.0F), zero_point_), scale_);  // the 16 weights
  }

  HWY_INLINE Pair<D> operator()(const std::uint8_t* HWY_RESTRICT codes) const {
    const hn::RebindToSigned<D> di;
    const auto bytes = hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::uint8_t, D>(), codes));
#if HWY_TARGET <= HWY_AVX3
    // The permute reads the low four bits of an index only, so low nibbles need no mask.
    if constexpr (kLanes == 16)
      return {hn::Vec<D>{_mm512_permutexvar_ps(bytes.raw, scale_.raw)},
              hn::Vec<D>{_mm512_permutexvar_ps(hn::ShiftRight<4>(bytes).raw, scale_.raw)}};
#endif
    return {Weight(hn::And(bytes, hn::Set(di, 15))), Weight(hn::ShiftRight<4>(bytes))};
  }

 private:
  HWY_INLINE hn::Vec<D> Weight(hn::Vec<hn::RebindToSigned<D>> code) const {
    return hn::Mul(hn::Sub(hn::ConvertTo(D(), code), zero_point_), scale_);
  }
  hn::Vec<D> scale_ = hn::Zero(D());  // with 16 lanes: the weights of codes 0 to 15
  hn::Vec<D> zero_point_ = hn::Zero(D());
};

/// 8-bit codes, zero point 128 unless kZeroPoints: a step is `lanes` bytes in natural order.
template <class D_, bool kHasZeroPoints>
class Bytes {
 public:
  using D = D_;
  static constexpr bool kZeroPoints = kHasZeroPoints;
  static constexpr bool kPair = false;
  static constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(D()));
  static constexpr std::int64_t kStepBytes = kLanes;
  static constexpr std::int64_t kStepValues = kLanes;
  static std::int64_t Steps(const Problem& p) { return p.block_size / kStepValues; }

  Bytes() = default;
  HWY_INLINE Bytes(float scale, float zero_point)
      : scale_(hn::Set(D(), scale)), zero_point_(hn::Set(D(), kHasZeroPoints ? zero_point : 128.0F)) {}

  HWY_INLINE Pair<D> operator()(const std::uint8_t* HWY_RESTRICT codes) const {
    const hn::RebindToSigned<D> di;
    const auto code = hn::ConvertTo(D(), hn::PromoteTo(di, hn::LoadU(hn::Rebind<std::uint8_t, D>(), codes)));
    return {hn::Mul(hn::Sub(code, zero_point_), scale_), hn::Zero(D())};
  }

 private:
  hn::Vec<D> scale_ = hn::Zero(D());
  hn::Vec<D> zero_point_ = hn::Zero(D());
};

}  // namespace
}  // namespace gonogo::kernels::int4_matmul::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
