// A block-quantised matmul case: raw bits as ONNX lays them out, and the reference summed in double from exactly those
// bits.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/int4_matmul/cuda/problem.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace gonogo::tests {

struct Int4Case {
  kernels::int4_matmul::cuda::Problem problem;
  Bytes x, codes, scales, zeros, bias;  // zeros and bias empty when absent
};
/// Random content of a seed; codes past k are random too.
[[nodiscard]] Int4Case make_int4_case(const kernels::int4_matmul::cuda::Problem& problem, unsigned seed);

struct Int4Reference {
  std::vector<double> y;          // [m, n], before rounding
  std::vector<double> magnitude;  // sum of |w x| + |bias|
};
[[nodiscard]] Int4Reference reference(const Int4Case& c);

/// depth * unit * magnitude + the output's rounding.
[[nodiscard]] std::vector<double> bounds(const Int4Case& c, const Int4Reference& reference, double relative);

/// The case with the top bit flipped of the code that weighs most, by |x * scale|, in row 0 and column 0.
[[nodiscard]] Int4Case with_one_code_wrong(Int4Case c);

/// The case on the device.
struct Int4Device {
  DeviceArray x, codes, scales, zeros, bias, y;
  Int4Device(const Int4Case& c, core::StreamRef stream);
  [[nodiscard]] kernels::int4_matmul::cuda::Args args(const Int4Case& c) const;
};

}  // namespace gonogo::tests
