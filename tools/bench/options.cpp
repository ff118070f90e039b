#include "tools/bench/options.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "harness/cli/options.hpp"

namespace gonogo::bench {
namespace {

constexpr std::int64_t kMostRows = 1 << 20;
constexpr std::int64_t kMostCount = 1 << 30;

bool any(const Program& program, std::initializer_list<Axis> axes) {
  return std::any_of(axes.begin(), axes.end(), [&](Axis axis) { return program.axes.count(axis) > 0; });
}

void declare(cli::OptionSet& set, const Program& program, Options& o, std::string& levers) {
  set.group("What");
  set.text("--model", o.model, "preset:NAME, a folder with model.onnx, or a .onnx file");
  set.text("--levers", levers, "Stacks to measure interleaved: names, or sets such as before+gemm+norm");
  if (any(program, {Axis::m_scaling, Axis::capture, Axis::seams, Axis::dram}))
    set.axis("--m-list", o.m_list, {1, kMostRows}, "Widths M");
  if (any(program, {Axis::m_scaling})) {
    set.axis("--past", o.pasts, {0, kMostRows},
             "Lengths at which widths are timed; a bucket edge is measured on both sides");
    set.integer("--iters", o.iters, {1, kMostCount}, "Timed forwards per width, mode and stack");
    set.integer("--warmups", o.warmups, {0, kMostCount}, "Untimed forwards before them, at least");
  }
  if (any(program, {Axis::capture}))
    set.integer("--capture-steps", o.capture_steps, {1, kMostCount}, "Captured width-1 steps across bucket growths");
  if (program.composed) set.flag("--e2e", o.e2e, "Measure end-to-end decode too (preset:tiny does so by itself)");
  if (any(program, {Axis::e2e})) {
    set.integer("--e2e-tokens", o.e2e_tokens, {0, kMostCount}, "Tokens to generate");
    set.integer("--e2e-skip", o.e2e_skip, {0, kMostCount}, "Leading tokens left out of the steady window");
  }
  if (any(program, {Axis::prefill})) {
    set.axis(
        "--prefill-lens", o.prefill_lens, {1, kMostRows},
        program.composed ? "Prompt lengths to measure prefill at (preset:tiny: 64,128,256,512)" : "Prompt lengths");
    set.integer("--prefill-iters", o.prefill_iters, {1, kMostCount},
                "Timed prompts per length and stack, after one untimed");
  }
  cli::add_common(set, o.common);
  set.integer("--device", o.device, {0, 1024}, "Device number of the backend");
}

bool given(int argc, const char* const* argv, std::string_view flag) {
  return std::any_of(argv, argv + argc, [&](std::string_view a) {
    return a == flag || (a.starts_with(flag) && a.size() > flag.size() && a[flag.size()] == '=');
  });
}

// The embedded model is the first thing a newcomer runs: it shows every axis.
void choose_axes(const Program& program, Options& o) {
  o.axes = program.axes;
  const bool all = !program.composed || o.model == "preset:tiny";
  if (all && o.prefill_lens.empty()) o.prefill_lens = usual_prefill_lens();
  o.e2e = o.e2e || all;
  if (!o.e2e) o.axes.erase(Axis::e2e);
  if (o.prefill_lens.empty()) o.axes.erase(Axis::prefill);
}

// What took effect, also where an option's default depends on another.
record::Json effective(const cli::OptionSet& set, const Options& o) {
  record::Json json = set.effective();
  record::Json stacks = record::Json::array(), axes = record::Json::array();
  for (const auto& s : o.stacks) stacks.push_back(s.name);
  for (const Axis axis : o.axes) axes.push_back(name_of(axis));
  json["levers"] = stacks;
  json["axes"] = axes;
  if (json.contains("m-list")) json["m-list"] = o.m_list;
  if (json.contains("e2e")) json["e2e"] = o.e2e;
  if (json.contains("prefill-lens")) json["prefill-lens"] = o.prefill_lens;
  return json;
}

}  // namespace

std::string_view name_of(Axis axis) {
  switch (axis) {
    case Axis::parity:
      return "parity";
    case Axis::m_scaling:
      return "m_scaling";
    case Axis::capture:
      return "capture";
    case Axis::seams:
      return "seams";
    case Axis::prefill:
      return "prefill";
    case Axis::e2e:
      return "e2e";
    case Axis::dram:
      break;
  }
  return "dram";
}

const std::vector<std::int64_t>& usual_prefill_lens() {
  static const std::vector<std::int64_t> lens = {64, 128, 256, 512};
  return lens;
}

cli::Parsed parse_options(int argc, const char* const* argv, const Program& program, Options& o) {
  std::string levers = "before,latest";
  cli::OptionSet set(program.name, program.purpose);
  declare(set, program, o, levers);
  const cli::Parsed parsed = set.parse(argc, argv);
  if (parsed == cli::Parsed::done) return parsed;
  o.stacks = engine::parse_stacks(levers);
  o.pasts_given = given(argc, argv, "--past");
  std::sort(o.m_list.begin(), o.m_list.end());
  choose_axes(program, o);
  o.effective = effective(set, o);
  cli::check_outputs(o.common);
  return parsed;
}

}  // namespace gonogo::bench
