// The table of ways to compute a block-quantised matmul on the CPU; selection walks it and never falls back in silence.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "kernels/cpu.hpp"
#include "kernels/int4_matmul/problem.hpp"

namespace gonogo::kernels::int4_matmul {

struct Kernel {
  std::string_view name;  // "portable", "simd", "int8"
  core::Eligibility (*eligible)(const Problem& problem);
  /// Scratch the caller brings, 64-byte aligned.
  std::size_t (*workspace_bytes)(const Problem& problem, Threads threads);
  /// Row r of the result has the same bits for every m and every thread count.
  void (*run)(const Problem& problem, const Args& args, std::byte* workspace, Threads threads);
  /// True when run() allocates for itself at this problem: it cannot be captured.
  bool (*transient)(const Problem& problem);
  /// True when activations are rounded to int8 per block, as accuracy_level 4 asks.
  bool int8_activations = false;
};

/// portable, simd, int8.
[[nodiscard]] std::span<const Kernel> kernels();
/// By name; throws LogicError when there is none.
[[nodiscard]] const Kernel& kernel(std::string_view name);

}  // namespace gonogo::kernels::int4_matmul
