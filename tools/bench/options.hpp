// The options of the benchmark programs: one struct, and for every program the groups it really uses.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/levers/stack.hpp"
#include "harness/record/run_record.hpp"

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
  std::string model = "preset:tiny";
  std::string label;              // empty: the model's name
  std::string backend = "auto";   // auto, cpu, cuda
  int device = 0;
  int threads = 0;                // 0: all this process may use
  std::vector<engine::Stack> stacks;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> m_list = {1, 2, 4, 8, 16};
  std::vector<std::int64_t> pasts = {512};
  bool pasts_given = false;
  int iters = 30;
  int warmups = 3;
  std::int64_t capture_steps = 1000;
  bool e2e = false;
  std::int64_t e2e_tokens = 128;
  std::int64_t e2e_skip = 8;
  std::vector<std::int64_t> prefill_lens;
  int prefill_iters = 5;
  std::string json, csv, md;      // files; "-" is stdout; empty: not written
  bool list = false;
  bool dry_run = false;
  std::set<Axis> axes;            // what this run measures

  [[nodiscard]] bool has(Axis axis) const { return axes.count(axis) > 0; }
  /// One of the outputs is stdout, so tables go to stderr.
  [[nodiscard]] bool stdout_is_data() const { return json == "-" || csv == "-" || md == "-"; }
};

/// Thrown when the arguments asked for a text and nothing else (--help): the text is on stdout already.
struct NothingToDo {};

/// Throws UsageError for anything unknown, malformed or out of range, and NothingToDo after --help.
[[nodiscard]] Options parse_options(int argc, const char* const* argv, const Program& program);

/// Every option as it took effect, for the record.
[[nodiscard]] record::Json to_json(const Options& options);

}  // namespace gonogo::bench
