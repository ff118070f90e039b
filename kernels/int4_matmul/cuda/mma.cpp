// Eligibility, packed layout, plan and workspace of the mma kernel: host only.
#include "kernels/int4_matmul/cuda/mma.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <string>

#include "harness/core/cuda/copy.hpp"
#include "harness/core/error.hpp"
#include "kernels/int4_matmul/cuda/mma_launch.hpp"

namespace gonogo::kernels::int4_matmul::cuda {
namespace {

constexpr std::int64_t kMultiprocessors = 132;  // of the chip the plan is tuned for; others run it as well

std::int64_t up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

struct Workspace {
  std::int64_t counters = 0;  // one per block group
  std::size_t partials_at = 0;
  std::size_t bytes = 0;
};

Workspace workspace_of(const Problem& p) {
  const MmaPlan plan = mma_plan(p);
  if (plan.grid_split == 1) return {};
  const MmaTuning tuning = plan.wide ? MmaWide::tuning : MmaTall::tuning;
  const int token_tiles = mma_token_tiles(p.m);
  const std::int64_t chunks = (p.m + token_tiles * kMmaTokens - 1) / (token_tiles * kMmaTokens);
  const std::int64_t groups = up(mma_layout(p).row_tiles, tuning.row_tiles) / tuning.row_tiles * chunks;
  Workspace space;
  space.counters = groups;
  space.partials_at = static_cast<std::size_t>(up(groups * 4, 256));
  const std::int64_t floats = groups * plan.grid_split * tuning.row_tiles * token_tiles * kMmaRows * kMmaTokens;
  space.bytes = space.partials_at + static_cast<std::size_t>(floats) * sizeof(float);
  return space;
}

}  // namespace

core::Eligibility mma_eligible(const Problem& p) {
  if (const core::Eligibility family = eligible(p); !family) return family;
  if (p.bits != 4) return core::refuse("bits", 4, p.bits);
  if (p.type != core::DType::f16 && p.type != core::DType::bf16)
    return core::refuse("activation type, one of", "float16, bfloat16", std::string(core::name_of(p.type)));
  if (p.k % kMmaK != 0) return core::refuse("k, a multiple of", kMmaK, p.k);
  if (p.block_size < 32) return core::refuse("block_size, at least", 32, p.block_size);
  if (p.zero_points == ZeroPoints::typed) return core::refuse("zero points", "none or packed", "typed");
  constexpr std::int64_t kMostRows = std::int64_t{65535} * kMmaMostTokens;
  if (p.m > kMostRows) return core::refuse("m, at most", kMostRows, p.m);
  return core::accept();
}

MmaLayout mma_layout(const Problem& p) {
  MmaLayout layout;
  layout.row_tiles = (p.n + kMmaRows - 1) / kMmaRows;
  layout.k_tiles = p.k / kMmaK;
  layout.blocks = p.blocks();
  const std::int64_t pairs = layout.row_tiles * layout.blocks * kMmaRows;
  layout.scales_at = static_cast<std::size_t>(up(layout.row_tiles * layout.k_tiles * 512, 256));
  layout.zeros_at = layout.scales_at + static_cast<std::size_t>(up(pairs * 2, 256));
  layout.bytes = layout.zeros_at + (p.zero_points == ZeroPoints::packed ? static_cast<std::size_t>(up(pairs, 256)) : 0);
  return layout;
}

MmaPlan mma_plan(const Problem& p) {
  const std::int64_t row_tiles = (p.n + kMmaRows - 1) / kMmaRows;
  const std::int64_t k_tiles = p.k / kMmaK;
  MmaPlan plan;
  // Enough row tiles for eight waves of four: fill and drain no longer matter, sharing activations does.
  plan.wide = p.type == core::DType::f16 && row_tiles >= kMultiprocessors * 32;
  if (plan.wide || row_tiles >= kMultiprocessors) return plan;
  const std::int64_t wanted = 2 * kMultiprocessors / row_tiles;
  plan.grid_split = static_cast<int>(
      std::clamp<std::int64_t>(k_tiles / MmaTall::tuning.warps, 1, std::min<std::int64_t>(wanted, 16)));
  return plan;
}

std::size_t mma_workspace_bytes(const Problem& p) { return workspace_of(p).bytes; }

void mma_clear_workspace(const Problem& p, std::byte* workspace, core::StreamRef stream) {
  const Workspace space = workspace_of(p);
  if (space.bytes != 0) core::fill_bytes(workspace, 0, space.partials_at, stream);
}

void mma(const Problem& p, const MmaArgs& args, Overlap overlap, core::StreamRef stream) {
  const core::Eligibility answer = mma_eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  GONOGO_EXPECT(mma_workspace_bytes(p) == 0 || args.workspace != nullptr, "a workspace where k is split over the grid");
  if (p.type == core::DType::bf16) return launch_mma<__nv_bfloat16, MmaTall>(p, args, overlap, stream);
  if (mma_plan(p).wide) return launch_mma<__half, MmaWide>(p, args, overlap, stream);
  launch_mma<__half, MmaTall>(p, args, overlap, stream);
}

}  // namespace gonogo::kernels::int4_matmul::cuda
