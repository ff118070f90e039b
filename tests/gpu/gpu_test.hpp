// What every GPU test needs: a device or a visible skip, guarded device arrays, typed values and runs both eager and
// captured. The same sources are built twice: against the CUDA runtime (label gpu) and against the host emulation of
// tests/simt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/cuda/copy.hpp"
#include "harness/core/cuda/device.hpp"
#include "harness/core/cuda/graph.hpp"
#include "harness/core/cuda/memory.hpp"
#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"

namespace gonogo::tests {

#ifdef GONOGO_SIMT
inline constexpr bool kEmulated = true;  // shapes that take a chip are left out
#else
inline constexpr bool kEmulated = false;
#endif

/// False when the test must be skipped; says why through skip_test.
[[nodiscard]] bool gpu_ready();

using Bytes = std::vector<std::byte>;

/// Device memory with guard bytes before and after the payload, which is filled with 0xff: NaN in every float type.
class DeviceArray {
 public:
  DeviceArray(std::size_t bytes, core::StreamRef stream);
  DeviceArray(const Bytes& content, core::StreamRef stream);
  [[nodiscard]] std::byte* data() const { return buffer_.data() + kGuard; }
  [[nodiscard]] std::size_t size() const { return size_; }
  template <class T>
  [[nodiscard]] T* as() const {
    return reinterpret_cast<T*>(data());
  }
  void poison();
  void upload(const Bytes& content);
  [[nodiscard]] Bytes download() const;
  [[nodiscard]] bool guards_intact() const;

 private:
  static constexpr std::size_t kGuard = 512;
  core::DeviceBuffer buffer_;
  std::size_t size_;
  core::StreamRef stream_;
};

/// Values rounded to `type`; decode gives back exactly what the device sees.
[[nodiscard]] Bytes encode(core::DType type, const std::vector<double>& values);
[[nodiscard]] std::vector<double> decode(core::DType type, const Bytes& bytes);
template <class T>
[[nodiscard]] Bytes bytes_of_vector(const std::vector<T>& values) {
  const auto* begin = reinterpret_cast<const std::byte*>(values.data());
  return Bytes(begin, begin + values.size() * sizeof(T));
}
/// Half a unit in the last place of `type` at `value`: the rounding of a result into that type.
[[nodiscard]] double half_ulp(core::DType type, double value);

/// Normal values of a seed, representable in `type`.
[[nodiscard]] std::vector<double> normals(core::DType type, std::size_t count, double sigma, unsigned seed);

/// Runs `launch` eagerly, then captured and replayed twice, `out` poisoned before each. Checks that all three agree bit
/// for bit and that the guards of `out` live; returns the result.
[[nodiscard]] Bytes run_all_ways(const core::Stream& stream, DeviceArray& out, const std::function<void()>& launch);

struct Difference {
  double worst_ratio = 0;  // max |got - want| / bound; NaN-safe: a non-finite got counts apart
  std::size_t non_finite = 0;
  std::string text;  // index, got, want, bound at the worst place
};
[[nodiscard]] Difference compare(const std::vector<double>& got, const std::vector<double>& want,
                                 const std::vector<double>& bound);

}  // namespace gonogo::tests
