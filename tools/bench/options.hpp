// The options of the benchmark programs: one struct, and for every program the groups it really uses.
#pragma once

#include <nlohmann/json.hpp>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/levers/stack.hpp"
#include "harness/cli/common.hpp"
#include "harness/record/json.hpp"

namespace gonogo::bench {

/// What can be measured. Parity always runs first: no timing counts without it.
enum class Axis { parity, m_scaling, capture, seams, prefill, e2e, dram };
[[nodiscard]] std::string_view name_of(Axis axis);

/// A program over the same probes: its name, and the axes it measures.
struct Program {
  std::string name;
  std::string purpose;
  std::set<Axis> axes;
  bool composed = false;  // marlin_bench: prefill and e2e are asked for by options
};

struct Options {
  cli::CommonOptions common;
  std::string model = "preset:tiny";
  std::int64_t device = 0;
  std::vector<engine::Stack> stacks;
  std::vector<std::int64_t> m_list = {1, 2, 4, 8, 16};  // ascending
  std::vector<std::int64_t> pasts = {512};
  bool pasts_given = false;
  std::int64_t iters = 30;
  std::int64_t warmups = 3;
  std::int64_t capture_steps = 1000;
  bool e2e = false;
  std::int64_t e2e_tokens = 128;
  std::int64_t e2e_skip = 8;
  std::vector<std::int64_t> prefill_lens;
  std::int64_t prefill_iters = 5;
  std::set<Axis> axes;     // what this run measures
  record::Json effective;  // every option of the program as it took effect

  [[nodiscard]] bool has(Axis axis) const { return axes.count(axis) > 0; }
  [[nodiscard]] std::uint64_t seed() const { return static_cast<std::uint64_t>(common.seed); }
};

/// Prompt lengths where a program measures prefill without being told which.
[[nodiscard]] const std::vector<std::int64_t>& usual_prefill_lens();

/// Parses and checks everything that needs no model. `done` after --help. Throws UsageError.
[[nodiscard]] cli::Parsed parse_options(int argc, const char* const* argv, const Program& program, Options& options);

}  // namespace gonogo::bench
