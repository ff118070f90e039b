#include "tools/bench/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>

#include "harness/core/error.hpp"
#include "tools/bench/int_list.hpp"

namespace gonogo::bench {
namespace {

constexpr std::int64_t kMostRows = 1 << 20;
constexpr const char* kTinyPrefill = "64,128,256,512";

/// Lists as typed, parsed after CLI11 is done.
struct Texts {
  std::string levers = "before,latest";
  std::string m_list, past, prefill_lens;
  // Numbers are read as text as well: CLI11 would take "0x10" and clamp what overflows.
  std::string device = "0", threads = "0", seed = "1", iters, warmups, capture_steps, e2e_tokens, e2e_skip, prefill_iters;
};

bool any(const Program& program, std::initializer_list<Axis> axes) {
  return std::any_of(axes.begin(), axes.end(), [&](Axis axis) { return program.axes.count(axis) > 0; });
}

void add_common(CLI::App& app, Options& o, Texts& t) {
  app.add_option("--model", o.model, "preset:NAME, a folder with model.onnx, or a .onnx file")->capture_default_str();
  app.add_option("--label", o.label, "What to call the model in the record (default: its name)");
  app.add_option("--backend", o.backend, "auto, cpu or cuda")->check(CLI::IsMember({"auto", "cpu", "cuda"}))->capture_default_str();
  app.add_option("--device", t.device, "Device number of the backend")->capture_default_str();
  app.add_option("--threads", t.threads, "CPU threads; 0: all this process may use")->capture_default_str();
  app.add_option("--levers", t.levers, "Stacks to measure interleaved, by name or as before+gemm+norm")->capture_default_str();
  app.add_option("--seed", t.seed, "Seed of the token ids")->capture_default_str();
  app.add_option("--json", o.json, "Write the run record here; - is stdout");
  app.add_option("--csv", o.csv, "Write the metrics as CSV here; - is stdout");
  app.add_option("--md", o.md, "Write tables and verdict as Markdown here; - is stdout");
  app.add_flag("--list", o.list, "Print presets, stacks, levers and axes, then end");
  app.add_flag("--dry-run", o.dry_run, "Print what would be measured, then end");
}

void add_axes(CLI::App& app, const Program& program, Options& o, Texts& t) {
  const auto text = [&](const char* name, std::string& to, const std::string& standard, const char* help) {
    to = standard;
    app.add_option(name, to, help)->capture_default_str();
  };
  if (any(program, {Axis::m_scaling, Axis::capture, Axis::seams, Axis::dram}))
    text("--m-list", t.m_list, "1,2,4,8,16", "Widths M: 1,2,4 or 1:8:1 or pow2:1:16");
  if (any(program, {Axis::m_scaling})) {
    text("--past", t.past, "512", "Lengths of the cache at which widths are timed; a bucket edge is measured on both sides");
    text("--iters", t.iters, "30", "Timed forwards per width, mode and stack");
    text("--warmups", t.warmups, "3", "Untimed forwards before them, at least");
  }
  if (any(program, {Axis::capture})) text("--capture-steps", t.capture_steps, "1000", "Captured width-1 steps across bucket growths");
  if (program.composed) app.add_flag("--e2e", o.e2e, "Also measure end-to-end decode (on by itself for preset:tiny)");
  if (any(program, {Axis::e2e})) {
    text("--e2e-tokens", t.e2e_tokens, "128", "Tokens to generate");
    text("--e2e-skip", t.e2e_skip, "8", "Leading tokens left out of the steady window");
  }
  if (any(program, {Axis::prefill})) {
    const std::string standard = program.composed ? "" : kTinyPrefill;
    text("--prefill-lens", t.prefill_lens, standard, program.composed ? "Prompt lengths to read (64,128,256,512 by itself for preset:tiny)" : "Prompt lengths to read");
    text("--prefill-iters", t.prefill_iters, "5", "Timed prompts per length and stack, after one untimed");
  }
}

std::vector<engine::Stack> parse_stacks(const std::string& text) {
  std::vector<engine::Stack> stacks;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    auto stack = engine::parse_stack(text.substr(at, end - at));
    const bool twice = std::any_of(stacks.begin(), stacks.end(), [&](const auto& s) { return s.name == stack.name; });
    if (twice) throw core::UsageError(fmt::format("--levers: stack {} is there twice", stack.name));
    stacks.push_back(std::move(stack));
    at = end + 1;
  }
  return stacks;
}

template <class T>
void parse_number(const std::string& text, const char* option, std::int64_t least, T& to) {
  if (text.empty()) return;  // the program does not have the option
  constexpr auto kMost = static_cast<std::int64_t>(std::min<std::uint64_t>(std::numeric_limits<T>::max(), std::numeric_limits<std::int64_t>::max()));
  const auto values = parse_int_list(text, option, least, kMost);
  if (values.size() != 1 || text.find_first_of(",:") != std::string::npos)
    throw core::UsageError(fmt::format("{}: wanted one number, got '{}'", option, text));
  to = static_cast<T>(values.front());
}

void parse_texts(const Texts& t, Options& o) {
  o.stacks = parse_stacks(t.levers);
  parse_number(t.device, "--device", 0, o.device);
  parse_number(t.threads, "--threads", 0, o.threads);
  parse_number(t.seed, "--seed", 0, o.seed);
  parse_number(t.iters, "--iters", 1, o.iters);
  parse_number(t.warmups, "--warmups", 0, o.warmups);
  parse_number(t.capture_steps, "--capture-steps", 1, o.capture_steps);
  parse_number(t.e2e_tokens, "--e2e-tokens", 0, o.e2e_tokens);
  parse_number(t.e2e_skip, "--e2e-skip", 0, o.e2e_skip);
  parse_number(t.prefill_iters, "--prefill-iters", 1, o.prefill_iters);
  if (!t.m_list.empty()) o.m_list = parse_int_list(t.m_list, "--m-list", 1, kMostRows);
  if (!t.past.empty()) o.pasts = parse_int_list(t.past, "--past", 0, std::numeric_limits<int>::max());
  if (!t.prefill_lens.empty()) o.prefill_lens = parse_int_list(t.prefill_lens, "--prefill-lens", 1, kMostRows);
}

// The embedded model is the first thing a newcomer runs: it shows every axis unless told otherwise.
void choose_axes(const Program& program, const CLI::App& app, Options& o) {
  o.axes = program.axes;
  if (!program.composed) return;
  if (o.model == "preset:tiny") {
    o.e2e = true;
    if (app.get_option("--prefill-lens")->count() == 0) o.prefill_lens = parse_int_list(kTinyPrefill, "--prefill-lens", 1, kMostRows);
  }
  if (!o.e2e) o.axes.erase(Axis::e2e);
  if (o.prefill_lens.empty()) o.axes.erase(Axis::prefill);
}

void check_outputs(const Options& o) {
  if ((o.json == "-") + (o.csv == "-") + (o.md == "-") > 1)
    throw core::UsageError("--json, --csv, --md: only one of them can go to stdout");
  for (const auto& path : {o.json, o.csv, o.md})
    if (!path.empty()) record::check_writable(path);
}

}  // namespace

std::string_view name_of(Axis axis) {
  switch (axis) {
    case Axis::parity: return "parity";
    case Axis::m_scaling: return "m_scaling";
    case Axis::capture: return "capture";
    case Axis::seams: return "seams";
    case Axis::prefill: return "prefill";
    case Axis::e2e: return "e2e";
    case Axis::dram: break;
  }
  return "dram";
}

Options parse_options(int argc, const char* const* argv, const Program& program) {
  Options options;
  Texts texts;
  CLI::App app(program.purpose, program.name);
  app.footer("Exit codes: 0 GO, 1 NO-GO, 2 usage or unreadable input, 3 inconclusive or unmeasured, 4 failed or missing rows, 5 invalid environment.");
  add_common(app, options, texts);
  add_axes(app, program, options, texts);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    (void)app.exit(help);
    throw NothingToDo{};
  } catch (const CLI::ParseError& error) {
    throw core::UsageError(fmt::format("{} (--help lists the options)", error.what()));
  }
  for (const auto* option : app.get_options())
    if (option->count() > 0 && option->get_items_expected() > 0 && option->as<std::string>().empty())
      throw core::UsageError(fmt::format("{}: the value is empty", option->get_name()));
  parse_texts(texts, options);
  choose_axes(program, app, options);
  check_outputs(options);
  return options;
}

record::Json to_json(const Options& o) {
  record::Json stacks = record::Json::array(), axes = record::Json::array();
  for (const auto& s : o.stacks) stacks.push_back(s.name);
  for (const Axis axis : o.axes) axes.push_back(name_of(axis));
  return {{"model", o.model},       {"label", o.label},
          {"backend", o.backend},   {"device", o.device},
          {"threads", o.threads},   {"levers", stacks},
          {"seed", o.seed},         {"m_list", o.m_list},
          {"past", o.pasts},        {"iters", o.iters},
          {"warmups", o.warmups},   {"capture_steps", o.capture_steps},
          {"e2e", o.e2e},           {"e2e_tokens", o.e2e_tokens},
          {"e2e_skip", o.e2e_skip}, {"prefill_lens", o.prefill_lens},
          {"prefill_iters", o.prefill_iters}, {"axes", axes},
          {"json", o.json},         {"csv", o.csv},
          {"md", o.md}};
}

}  // namespace gonogo::bench
