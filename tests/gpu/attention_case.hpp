// An attention case in the bits a device sees, and the double reference made from exactly those bits.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/attention/cuda/attention.hpp"
#include "kernels/reference/attention.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace gonogo::tests {

struct AttentionCase {
  kernels::attention::cuda::Problem problem;
  std::int32_t last_valid = 0;
  kernels::reference::AttentionCase reference;  // float32, the same numbers
  Bytes query, keys, values, sink, bias;        // of problem.type; cache rows past last_valid are NaN
};
/// `past` tokens before the rows. The bias is tight: its row stride is problem.bias_row_stride, or past + rows when
/// that is 0.
[[nodiscard]] AttentionCase make_attention_case(const kernels::attention::cuda::Problem& problem, std::int64_t past,
                                                unsigned seed);

/// Row `row` of the case as a call of its own, in a cache of `capacity` rows whose later ones are NaN.
[[nodiscard]] AttentionCase single_row(const AttentionCase& c, std::int64_t row, std::int64_t capacity);

enum class Weights { exact, rounded };  // whether a kernel rounds softmax weights to the type
struct AttentionExpectation {
  std::vector<double> value, bound;
};
/// The reference's bound for float32 arithmetic, the output's rounding and, for rounded weights, twice half a unit of
/// each weight (its own and the denominator's) and the type's smallest step for weights that underflow.
[[nodiscard]] AttentionExpectation expected(const AttentionCase& c, Weights weights);

/// The case with the sign turned of the value that weighs most in row 0, head 0.
[[nodiscard]] AttentionCase with_one_value_wrong(AttentionCase c);

/// The case on the device.
struct AttentionDevice {
  DeviceArray query, keys, values, last_valid, sink, bias, workspace, y;
  AttentionDevice(const AttentionCase& c, core::StreamRef stream);
  [[nodiscard]] kernels::attention::cuda::Args args() const;
};

}  // namespace gonogo::tests
