// A benchmark made for tests of paired sessions: writes Google Benchmark JSON or a run record. Its times are either
// computed from a state file that counts its runs (the same on every machine) or measured on real work.
#include <nlohmann/json.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "harness/cli/options.hpp"
#include "harness/cli/run_main.hpp"
#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"
#include "tests/record/sample_record.hpp"

namespace {

using namespace gonogo;
using record::Json;

struct Options {
  std::string out = "-", state, host = "h";
  double base = 1000, effect = 0, noise = 0, drift = 0;
  std::int64_t fail_at = -1, exit_code = 0, sleep_ms = 0, rows = 1, work = 0, repetitions = 5;
  bool as_record = false, partial = false;
};

// How often this ran before, from the state file.
std::int64_t count_up(const std::string& state) {
  if (state.empty()) return 0;
  std::int64_t count = 0;
  std::ifstream(state) >> count;
  std::ofstream(state) << count + 1;
  return count;
}

// Computes a chain that no compiler can shorten; what that took, in microseconds.
double work_us(std::int64_t steps) {
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t state = 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(steps);
  for (std::int64_t i = 0; i < steps; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  const double passed = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  return state == 0 ? 0 : passed;  // never 0, but the compiler has to compute it to know
}

std::vector<double> times_of(const Options& options, std::int64_t run, std::int64_t row) {
  std::mt19937_64 random(static_cast<std::uint64_t>(1000 * run + row + 1));
  std::normal_distribution<double> normal(0, 1);
  const double place = 1 + options.drift * static_cast<double>(run) + options.noise * normal(random);
  std::vector<double> times;
  for (std::int64_t i = 0; i < options.repetitions; ++i) {
    const double longer = 1 + options.effect;
    if (options.work > 0)
      times.push_back(work_us(std::llround(static_cast<double>(options.work) * longer)));
    else
      times.push_back(options.base * longer * place * (1 + 0.001 * normal(random)));
  }
  return times;
}

std::string google_text(const Options& options, std::int64_t run) {
  Json document = {{"context", {{"host_name", options.host}, {"num_cpus", 2}, {"library_build_type", "release"}}},
                   {"benchmarks", Json::array()}};
  for (std::int64_t row = 0; row < options.rows; ++row) {
    const auto times = times_of(options, run, row);
    for (std::size_t i = 0; i < times.size(); ++i)
      document["benchmarks"].push_back({{"name", fmt::format("BM_work/{}", row)},
                                        {"run_name", fmt::format("BM_work/{}", row)},
                                        {"run_type", "iteration"},
                                        {"repetition_index", i},
                                        {"iterations", 1},
                                        {"real_time", times[i]},
                                        {"cpu_time", times[i]},
                                        {"time_unit", "us"}});
  }
  return document.dump(1);
}

std::string record_text(const Options& options, std::int64_t run) {
  auto result = tests::sample_record();
  result.rows.pop_back();
  result.environment["context"]["host_name"] = options.host;
  const double time = times_of(options, run, 0).front() / 1000;
  result.stacks[0].metrics["decode.gpu_ms/past=512"] = record::measured(time, "ms", record::Better::lower);
  result.stacks[0].metrics["e2e.tok_per_s"] = record::measured(1000 / time, "tok/s", record::Better::higher);
  result.complete = !options.partial;
  result.partial_reason = options.partial ? "interrupted" : "";
  return record::to_text(result);
}

core::ExitCode run(int argc, char** argv) {
  Options options;
  cli::OptionSet set("fake_bench", "Writes made-up or measured times.");
  set.text("--out", options.out, "FILE, or - for stdout");
  set.text("--state", options.state, "Counts the runs");
  set.text("--host", options.host, "Host name to claim");
  set.real("--base", options.base, {.min = 0}, "Time in us");
  set.real("--effect", options.effect, {}, "Relative slow-down");
  set.real("--noise", options.noise, {.min = 0}, "Relative deviation of a run");
  set.real("--drift", options.drift, {}, "Relative drift a run");
  set.integer("--fail-at", options.fail_at, {}, "Crash at this run");
  set.integer("--exit-code", options.exit_code, {.min = 0, .max = 5}, "Exit code");
  set.integer("--sleep-ms", options.sleep_ms, {.min = 0}, "Sleep first");
  set.integer("--rows", options.rows, {.min = 0}, "Benchmarks");
  set.integer("--repetitions", options.repetitions, {.min = 1}, "Times a benchmark");
  set.integer("--work", options.work, {.min = 0}, "Steps of real work to measure instead of made-up times");
  set.flag("--record", options.as_record, "Write a gonogo run record");
  set.flag("--partial", options.partial, "Mark the record partial");
  if (set.parse(argc, argv) == cli::Parsed::done) return core::ExitCode::ok;
  std::this_thread::sleep_for(std::chrono::milliseconds(options.sleep_ms));
  const auto count = count_up(options.state);
  if (count == options.fail_at) throw core::ResultError("made to fail");
  record::write_file(options.out, options.as_record ? record_text(options, count) : google_text(options, count));
  return static_cast<core::ExitCode>(options.exit_code);
}

}  // namespace

int main(int argc, char** argv) { return cli::run_main(argc, argv, "fake_bench", run); }
