#include "kernels/int4_matmul/simd.hpp"

#include <omp.h>

#include <algorithm>
#include <string>

#include "harness/core/scratch.hpp"
#include "kernels/int4_matmul/simd_target.hpp"

namespace gonogo::kernels::int4_matmul {
namespace {

bool uses_panel(const Problem& p) { return p.m > kDirectRows; }

ColumnRange take_scratch(const SimdCall& call, core::Scratch& scratch) {
  const Problem& p = call.problem;
  ColumnRange columns;
  if (p.scales == core::DType::f16) columns.scales = scratch.take<float>(kColumnTile * p.blocks());
  if (p.zero_points != ZeroPoints::none) columns.zero_points = scratch.take<float>(kColumnTile * p.blocks());
  if (uses_panel(p)) {
    columns.panel = scratch.take<float>(kColumnTile * kPanelDepth);
    columns.sums = scratch.take<float>(std::min(p.m, kPanelRows) * kColumnTile * kMaxLanes);
  }
  return columns;
}

SimdCall make_call(const Problem& p, core::Scratch& scratch) {
  SimdCall call;
  call.problem = p;
  call.padded = p.blocks() * p.block_size;
  call.split = scratch.take<float>(p.m * call.padded);
  return call;
}

}  // namespace

core::Eligibility eligible_simd(const Problem& p) {
  if (auto common = eligible(p); !common) return common;
  if (p.bits == 2) return core::refuse("bits for the simd path, one of", "4, 8", std::to_string(p.bits));
  if (p.group_index) return core::refuse("g_idx with the simd path", "absent", "present");
  return core::accept();
}

std::size_t workspace_simd(const Problem& p, Threads threads) {
  core::Scratch counter;
  const SimdCall call = make_call(p, counter);
  for (int t = 0; t < threads.count; ++t) (void)take_scratch(call, counter);
  return counter.used();
}

void run_simd(const Problem& p, const Args& args, std::byte* workspace, Threads threads) {
  if (p.m == 0 || p.n == 0) return;
  core::Scratch scratch({workspace, workspace_simd(p, threads)});
  SimdCall call = make_call(p, scratch);
  call.args = args;
  core::Scratch probe;
  (void)take_scratch(call, probe);
  std::byte* per_thread = workspace + scratch.used();
  const std::size_t thread_bytes = probe.used();
  const SimdFunctions& functions = simd_functions();
  const std::int64_t tiles = (p.n + kColumnTile - 1) / kColumnTile;
  const auto columns_of = [&](std::int64_t me, std::int64_t team) {
    core::Scratch own({per_thread + static_cast<std::size_t>(me) * thread_bytes, thread_bytes});
    ColumnRange columns = take_scratch(call, own);
    columns.begin = tiles * me / team * kColumnTile;
    columns.end = std::min(tiles * (me + 1) / team * kColumnTile, p.n);
    if (columns.begin < columns.end) (uses_panel(p) ? functions.panel : functions.direct)(call, columns);
  };
  // A decode step runs hundreds of these: a team of one and a barrier cost more than a few rows' layout.
  const bool split_first = threads.count == 1 || !uses_panel(p);
  if (split_first) functions.split_rows(call, 0, p.m);
  if (threads.count == 1) return columns_of(0, 1);
#pragma omp parallel num_threads(threads.count)
  {
    const std::int64_t team = omp_get_num_threads();
    const std::int64_t me = omp_get_thread_num();
    if (!split_first) {
      functions.split_rows(call, p.m * me / team, p.m * (me + 1) / team);
#pragma omp barrier
    }
    columns_of(me, team);
  }
}

}  // namespace gonogo::kernels::int4_matmul
