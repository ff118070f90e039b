// Embedding rows on a CUDA device: plain, and block-quantised as com.microsoft.GatherBlockQuantized lays them out.
// Source: ONNX Runtime ContribOperators.md; docs/onnx-operators.md. Negative ids wrap; an id out of range yields a zero
// row and sets `status`.
#pragma once

#include <cstdint>

#include "harness/core/cuda/stream.hpp"
#include "harness/core/dtype.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"

namespace gonogo::kernels::embedding::cuda {

struct GatherProblem {
  std::int64_t rows = 0;  // ids
  std::int64_t vocab = 0;
  std::int64_t hidden = 0;
  core::DType type = core::DType::f16;
};
struct GatherArgs {
  const void* table = nullptr;        // [vocab, hidden]
  const std::int64_t* ids = nullptr;  // [rows], on the device
  void* y = nullptr;                  // [rows, hidden]
  std::int32_t* status = nullptr;     // [1], made 1 when an id is out of range, else left alone; may be null
};
void gather(const GatherProblem& problem, const GatherArgs& args, core::StreamRef stream);
[[nodiscard]] core::Work gather_work(const GatherProblem& problem);

struct QuantizedProblem {
  std::int64_t rows = 0;
  std::int64_t vocab = 0;
  std::int64_t hidden = 0;
  int bits = 4;  // 4 or 8, packed low bits first along hidden
  std::int64_t block_size = 32;
  core::DType type = core::DType::f16;  // of scales and y
  bool zero_points = false;             // packed like the codes, each row padded to a byte
  int default_zero = 8;                 // without zero points: 8 or 128 for uint8 data, 0 for uint4 tensors
  bool is_signed = false;               // int4 tensors: codes are two's complement
};
struct QuantizedArgs {
  const std::uint8_t* codes = nullptr;        // [vocab, hidden * bits / 8]
  const void* scales = nullptr;               // [vocab, ceil(hidden / block_size)]
  const std::uint8_t* zero_points = nullptr;  // [vocab, ceil(blocks * bits / 8)] or null
  const std::int64_t* ids = nullptr;
  void* y = nullptr;
  std::int32_t* status = nullptr;
};
/// bits 4 or 8; hidden a whole number of bytes.
[[nodiscard]] core::Eligibility eligible(const QuantizedProblem& problem);
void gather_quantized(const QuantizedProblem& problem, const QuantizedArgs& args, core::StreamRef stream);
[[nodiscard]] core::Work gather_quantized_work(const QuantizedProblem& problem);

}  // namespace gonogo::kernels::embedding::cuda
