// Eligibility and choice of element type for the GEMV and the tiled kernel.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/core/error.hpp"
#include "kernels/int4_matmul/cuda/gemv.hpp"
#include "kernels/int4_matmul/cuda/tiled.hpp"

namespace gonogo::kernels::int4_matmul::cuda {
namespace {

void expect(const core::Eligibility& answer) {
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
}

}  // namespace

core::Eligibility gemv_eligible(const Problem& p) {
  if (p.m != 1) return core::refuse("m", 1, p.m);
  return eligible(p);
}

core::Eligibility tiled_eligible(const Problem& p) {
  constexpr std::int64_t kMostRows = 65535 * 16;
  if (p.m > kMostRows) return core::refuse("m, at most", kMostRows, p.m);
  return eligible(p);
}

void gemv(const Problem& p, const Args& args, core::StreamRef stream) {
  expect(gemv_eligible(p));
  if (p.type == core::DType::f16) return launch_gemv<__half>(p, args, stream);
  if (p.type == core::DType::bf16) return launch_gemv<__nv_bfloat16>(p, args, stream);
  launch_gemv<float>(p, args, stream);
}

void tiled(const Problem& p, const Args& args, core::StreamRef stream) {
  expect(tiled_eligible(p));
  if (p.type == core::DType::f16) return launch_tiled<__half>(p, args, stream);
  if (p.type == core::DType::bf16) return launch_tiled<__nv_bfloat16>(p, args, stream);
  launch_tiled<float>(p, args, stream);
}

}  // namespace gonogo::kernels::int4_matmul::cuda
