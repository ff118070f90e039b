#include "tools/bench/program.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "engine/models/cache.hpp"
#include "harness/cli/run_main.hpp"
#include "harness/core/error.hpp"
#include "harness/measure/interrupt.hpp"
#include "tools/bench/describe.hpp"
#include "tools/bench/output.hpp"
#include "reports/gates/gate.hpp"
#include "reports/verdict/verdict.hpp"
#include "tools/bench/run.hpp"
#include "tools/model_source.hpp"

namespace gonogo::bench {
namespace {

using core::ExitCode;

// One line on stderr, rewritten in place; silent when stderr is no terminal.
probes::Monitor monitor() {
  probes::Monitor monitor;
  monitor.interrupted = measure::interrupted;
  if (::isatty(STDERR_FILENO) != 0)
    monitor.progress = [](const std::string& text) { fmt::print(stderr, "\r\033[K{}", text); };
  return monitor;
}

void clear_progress() {
  if (::isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
}

// A preset of gigabytes is not written for the sake of a dry run.
bool model_is_there(const std::string& model) {
  if (!model.starts_with("preset:")) return true;
  return std::filesystem::exists(models::preset_folder(model.substr(7), {}) / "model.onnx");
}

ExitCode dry_run(const Options& options, const tools::Backend& backend) {
  std::string text;
  if (model_is_there(options.model)) {
    const Model model{"", engine::load_model(tools::model_source(options.model)), backend};
    record::RunRecord record;
    Run run(options, {.open = [&](const engine::Stack& stack) { return open_session(model, stack, options); }}, record);
    run.prepare();
    text = plan_text(run.options());
    for (const auto& stack : options.stacks) text += kernels_text(*open_session(model, stack, options), options);
  } else {
    text = plan_text(options) +
           "the preset is not written yet: lengths were not checked against its context, kernels are unknown\n";
  }
  print_text(text, options);
  return ExitCode::ok;
}

std::string headline(const record::RunRecord& record, const Run& run) {
  const auto& build = record.environment.at("build");
  const auto& m = record.model;
  const auto dirty = build.at("git_dirty");
  return fmt::format(
      "{} ({} layers, hidden {}, vocab {}, {:.2f} MB a token), {} backend, {} threads, build {}{}\n\n",
      m.at("label").get<std::string>(), m.at("layers").get<std::int64_t>(), m.at("hidden").get<std::int64_t>(),
      m.at("vocab").get<std::int64_t>(), m.at("bytes_per_token").get<double>() * 1e-6, run.backend(), run.threads(),
      build.at("git_sha").get<std::string>().substr(0, 12), dirty.is_boolean() && dirty.get<bool>() ? "-dirty" : "");
}

/// Judges the record by the gates that are compiled in; the composed benchmark ends with it.
ExitCode judge_and_tell(record::RunRecord& record, const Options& options) {
  const auto gates = reports::shipped_gates();
  const auto& stacks = options.stacks;
  const bool has_latest =
      std::ranges::any_of(stacks, [](const auto& stack) { return stack.name == engine::latest_stack().name; });
  const reports::Verdict verdict =
      reports::judge({.record = record::to_json(record), .stack = has_latest ? "" : stacks.back().name}, gates);
  record.verdict = reports::to_json(verdict);
  print_text(fmt::format("\n{}", reports::to_text(verdict, /*explain=*/false)), options);
  return verdict.exit_code;
}

// What there is so far. A disk that is full now must not cost the axes still to come: the last write tells it.
void flush(const record::RunRecord& record, const Options& options) {
  try {
    write_files(record, options);
  } catch (const core::Error& error) {
    fmt::print(stderr, "warning: not written yet: {}\n", error.what());
  }
}

ExitCode measure_and_write(int argc, const char* const* argv, const Options& asked, bool composed) {
  tools::Backend backend({asked.common.backend, asked.device});
  const measure::SignalGuard guard;
  record::RunRecord record;
  record.environment = record::describe_environment(argc, argv);
  const auto source = tools::model_source(asked.model);
  const Model model{source.name, engine::load_model(source), backend};
  backend.describe(record.environment);
  const Machine machine{[&](const engine::Stack& stack) { return open_session(model, stack, asked); },
                        [&] { return backend.read_bandwidth(); }};
  Run run(asked, machine, record);
  run.prepare();
  const Options& options = run.options();
  print_text(headline(record, run), options);
  run.measure(monitor(), [&](Axis axis) {
    clear_progress();
    print_axis(axis, record, options);
    flush(record, options);
  });
  clear_progress();
  const std::vector<std::string> contaminated = backend.finish(record.environment);
  for (const std::string& line : contaminated) record.warnings.push_back("contaminated: " + line);
  std::string end;
  for (const auto& warning : record.warnings) end += "warning: " + warning + "\n";
  if (!record.complete) end += fmt::format("partial: {}\n", record.partial_reason);
  print_text(end, options);
  ExitCode code = run.outcome();
  if (!contaminated.empty()) code = core::stronger(code, ExitCode::invalid_environment);
  if (composed) code = core::stronger(code, judge_and_tell(record, options));
  write_files(record, options);
  write_stdout(record, options);
  return code;
}

ExitCode run(int argc, const char* const* argv, const Program& program) {
  Options options;
  if (parse_options(argc, argv, program, options) == cli::Parsed::done) return ExitCode::ok;
  if (options.common.list) {
    print_text(list_text(program), options);
    return ExitCode::ok;
  }
  if (options.common.dry_run) return dry_run(options, tools::Backend({options.common.backend, options.device}));
  return measure_and_write(argc, argv, options, program.composed);
}

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  return cli::run_main(argc, argv, program.name,
                       [&](int count, char** arguments) { return run(count, arguments, program); });
}

}  // namespace gonogo::bench
