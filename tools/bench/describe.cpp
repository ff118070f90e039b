#include "tools/bench/describe.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "engine/models/presets.hpp"
#include "engine/models/write_model.hpp"
#include "probes/dram.hpp"
#include "probes/m_scaling.hpp"
#include "probes/parity.hpp"

namespace gonogo::bench {
namespace {

std::string question_of(Axis axis) {
  switch (axis) {
    case Axis::parity:
      return "is the output right: captured against eager, wide against narrow, stack against stack";
    case Axis::m_scaling:
      return "wall of a forward over its width M, eager and captured: cliff, tail, B*, roofline share";
    case Axis::capture:
      return "do captured steps stay captured across bucket growths; can width M be captured";
    case Axis::seams:
      return "which operators stay eager inside a captured forward, and why";
    case Axis::prefill:
      return "tokens per second of reading a prompt, marginal rate and overhead";
    case Axis::e2e:
      return "steady tokens per second of greedy decode";
    case Axis::dram:
      break;
  }
  return "modelled bytes over time per operator group, as a share of the measured read bandwidth";
}

// Forwards of one stack.
std::int64_t forwards(Axis axis, const Options& o) {
  const auto widths = static_cast<std::int64_t>(o.m_list.size());
  constexpr std::int64_t kToReplay = 3;  // warm-up, capture, replay
  switch (axis) {
    case Axis::parity:
      return o.m_list.back() + widths * (1 + kToReplay) + 2 * probes::ParityOptions{}.greedy_tokens;
    case Axis::m_scaling: {
      // A bucket edge may add a length: counted with a context that never ends.
      const auto lengths = probes::lengths_to_measure(
          {o.m_list, o.pasts, static_cast<int>(o.iters), static_cast<int>(o.warmups), o.seed()}, std::int64_t{1} << 40);
      return static_cast<std::int64_t>(lengths.size()) * (2 * widths + 1) *
             (o.iters + std::max<std::int64_t>(o.warmups, 6));
    }
    case Axis::capture:
      return 1 + o.capture_steps + widths * (2 + kToReplay);
    case Axis::seams:
      return o.has(Axis::capture) ? 0 : widths * (2 + kToReplay);
    case Axis::prefill:
      return static_cast<std::int64_t>(o.prefill_lens.size()) * (1 + o.prefill_iters);
    case Axis::e2e:
      return 1 + o.e2e_tokens;
    case Axis::dram:
      break;
  }
  return widths * (1 + probes::DramOptions{}.iters);
}

}  // namespace

std::string list_text(const Program& program) {
  std::string text = "presets (--model preset:NAME)\n";
  for (const auto& preset : models::presets())
    text += fmt::format("  {:<14} {:>8.1f} MB  {}\n", preset.name,
                        static_cast<double>(models::folder_bytes(preset.spec)) * 1e-6, preset.purpose);
  text += "stacks (--levers a,b)\n";
  for (const auto& stack : engine::stacks())
    text += fmt::format("  {:<14} {}\n", stack.name,
                        stack.on.empty() ? "no lever" : fmt::format("{}", fmt::join(stack.on, " ")));
  text += "levers (--levers before+gemm+...)\n";
  for (const auto& lever : engine::levers())
    text += fmt::format("  {:<14} {} -> {}\n", lever.name, lever.off, lever.on);
  text += "axes\n";
  for (const Axis axis : program.axes) text += fmt::format("  {:<14} {}\n", name_of(axis), question_of(axis));
  return text;
}

std::string plan_text(const Options& o) {
  std::vector<std::string> stacks;
  for (const auto& s : o.stacks) stacks.push_back(s.name);
  std::string text =
      fmt::format("model {}, stacks {}, M {}\n", o.model, fmt::join(stacks, ","), fmt::join(o.m_list, ","));
  std::int64_t total = 0;
  for (const Axis axis : o.axes) {
    const std::int64_t count = forwards(axis, o) * static_cast<std::int64_t>(o.stacks.size());
    total += count;
    text += fmt::format("  {:<10} about {:>6} forwards  {}\n", name_of(axis), count, question_of(axis));
  }
  return text + fmt::format("  {:<10} about {:>6} forwards; nothing was measured\n", "total", total);
}

std::string kernels_text(const engine::Session& session, const Options& o) {
  std::map<std::string, std::vector<std::string>> by_step;  // "op: kernel x n" -> widths
  std::vector<std::string> order;
  for (const std::int64_t m : o.m_list)
    for (const auto& k : session.plan(m).kernels) {
      const auto key = fmt::format("{}: {} x {}", k.op, k.kernel, k.count);
      if (by_step[key].empty()) order.push_back(key);
      by_step[key].push_back(std::to_string(m));
    }
  std::string text = fmt::format("stack {}\n", session.stack().name);
  for (const auto& key : order) text += fmt::format("  {} (M {})\n", key, fmt::join(by_step[key], ","));
  return text;
}

}  // namespace gonogo::bench
