// The tensor-core kernel (mma m16n8k16): weights are the A operand, eight tokens the B operand, so one row costs what
// eight do. Weights must be packed (mma_pack) once. Row r of y has the same bits for every m: the order of the sum over
// k depends on n, k and the block size only.
#pragma once

#include "harness/core/cuda/stream.hpp"
#include "kernels/int4_matmul/cuda/mma_layout.hpp"
#include "kernels/overlap.hpp"

namespace gonogo::kernels::int4_matmul::cuda {

/// 4 bits; float16 or bfloat16; k a multiple of 64; block 32 and more; no typed zero points.
[[nodiscard]] core::Eligibility mma_eligible(const Problem& problem);

/// How a problem is cut over the chip; a function of n, k and type alone. Printable data for the plan.
struct MmaPlan {
  bool wide = false;   // four row tiles a warp and 4 warps a block (very large n), else one row tile and 16 warps
  int grid_split = 1;  // blocks that share one row tile's k range
  friend bool operator==(const MmaPlan&, const MmaPlan&) = default;
};
[[nodiscard]] MmaPlan mma_plan(const Problem& problem);

/// Device pointers; 256-byte aligned.
struct MmaArgs {
  const void* x = nullptr;            // [m, k]
  const std::byte* packed = nullptr;  // mma_layout(problem).bytes
  const void* bias = nullptr;         // [n] or null
  void* y = nullptr;                  // [m, n]
  std::byte* workspace = nullptr;     // mma_workspace_bytes(problem); null when that is 0
};

/// Partial sums and arrival counters when the grid splits k, else 0. The counters must be zero before the first call
/// (mma_clear_workspace) and are zero again after every call; calls that may overlap need workspaces of their own.
[[nodiscard]] std::size_t mma_workspace_bytes(const Problem& problem);
void mma_clear_workspace(const Problem& problem, std::byte* workspace, core::StreamRef stream);

using kernels::Overlap;

void mma(const Problem& problem, const MmaArgs& args, Overlap overlap, core::StreamRef stream);

/// Packs codes, scales and zero points of `args` (ONNX's layout, on the device) into `packed`; x, bias and y are not
/// read.
void mma_pack(const Problem& problem, const Args& args, std::byte* packed, core::StreamRef stream);

}  // namespace gonogo::kernels::int4_matmul::cuda
