#include "reports/commands/pair_options.hpp"

#include <nlohmann/json.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "harness/cli/numbers.hpp"
#include "harness/core/error.hpp"
#include "reports/commands/lists.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

void take(const std::optional<std::string>& given, std::string& target) {
  if (given) target = *given;
}
void take(const std::optional<std::string>& given, std::optional<std::string>& target) {
  if (given) target = given;
}

PairPlan merged(const PairOptions& given, PairPlan plan) {
  take(given.a, plan.a);
  take(given.b, plan.b);
  take(given.control, plan.control);
  take(given.stack, plan.stack);
  take(given.gpu, plan.gpu);
  if (given.metrics) plan.metrics = split_names(*given.metrics);
  if (given.blocks)
    plan.blocks = static_cast<std::size_t>(cli::parse_integer(*given.blocks, "--blocks", {.min = 1, .max = 10000}));
  if (given.seed)
    plan.seed = static_cast<std::uint64_t>(cli::parse_integer(*given.seed, "--seed", {.min = 0, .max = 1LL << 53}));
  if (given.timeout) plan.timeout_s = cli::parse_real(*given.timeout, "--timeout", {.min = 0, .max = 1e6});
  if (given.alpha) plan.alpha = cli::parse_real(*given.alpha, "--alpha", {.min = 1e-6, .max = 0.5});
  if (given.allow) plan.allow = names_in("--allow", *given.allow, {"host", "device", "model"});
  if (given.practical) plan.practical = cli::parse_real(*given.practical, "--practical", {.min = 0, .max = 1000}) / 100;
  return plan;
}

void check_same(const PairPlan& kept, const PairPlan& wanted, const std::string& journal) {
  const Json was = to_json(kept), now = to_json(wanted);
  for (const auto& [key, value] : was.items())
    if (now[key] != value)
      throw core::UsageError(fmt::format(
          "{} holds a session with {} {}, this asks for {}: a plan is not changed once it runs; take another "
          "journal",
          journal, key, value.dump(), now[key].dump()));
}

void check_complete(const PairPlan& plan, const std::string& command) {
  if (plan.a.empty() || plan.b.empty())
    throw core::UsageError(command == "calibrate" ? "--run: give the command to calibrate"
                                                  : "--a and --b: give both commands, or the --journal to go on with");
  for (const std::string& metric : plan.metrics)
    if (metric.empty()) throw core::UsageError("--metrics: an empty name in the list");
}

bool named_one_by_one(const PairPlan& plan) {
  return !plan.metrics.empty() && std::none_of(plan.metrics.begin(), plan.metrics.end(), [](const std::string& name) {
    return name.find('*') != std::string::npos;
  });
}

std::string duration_left(const JournalContent& content, std::size_t runs) {
  double seconds = 0;
  for (const Run& run : content.runs) seconds += run.wall_s;
  const auto done = static_cast<double>(content.runs.size());
  return fmt::format("about {:.0f} s left", seconds / done * (static_cast<double>(runs) - done));
}

}  // namespace

Json with_build(Json document) {
  const char* argv[] = {"gonogo"};
  document["build"] = record::describe_environment(1, argv)["build"];
  return document;
}

void declare_session(cli::OptionSet& options, PairOptions& given, const std::string& when_unnamed) {
  options.text("--blocks", given.blocks, "Blocks: each runs every arm once, in turning order [12]");
  options.text("--metrics", given.metrics,
               fmt::format("Metrics to compare, a comma list; * stands for any text [{}]", when_unnamed));
  options.text("--stack", given.stack, "Stack of a gonogo record [latest, else the only one]");
  options.text("--gpu", given.gpu, "UUID of the one GPU the commands shall see");
  options.text("--allow", given.allow, "Facts that may differ between runs: host, device, model [none]");
  options.text("--timeout", given.timeout, "Seconds one run may take, 0 for any [0]");
  options.text("--seed", given.seed, "Seed of the order [1]");
  options.text("--journal", given.journal, "Keep every run in FILE, or go on with the session in it");
}

Journal open_journal(const PairOptions& given, const std::string& command) {
  if (given.journal && std::filesystem::exists(*given.journal)) {
    Journal journal = Journal::resume(*given.journal);
    check_same(journal.content().plan, merged(given, journal.content().plan), *given.journal);
    return journal;
  }
  const PairPlan plan = merged(given, {});
  check_complete(plan, command);
  if (command == "pair" && named_one_by_one(plan)) check_reach(plan, plan.metrics.size());
  if (command == "pair") check_reach(plan, 1);
  const auto path = given.journal
                        ? *given.journal
                        : fmt::format("gonogo-{}-{:%Y%m%d-%H%M%S}.jsonl", command, fmt::gmtime(std::time(nullptr)));
  return Journal::start(path, plan);
}

bool run_to_the_end(Journal& journal, const std::string& command, const SessionView& view) {
  SessionView told = view;
  told.kept = [&](const Run& run, std::size_t runs) {
    fmt::print(stderr, "[{:>3}/{}] block {} {}: {:.2f} s, {}\n", run.visit.index + 1, runs, run.visit.block + 1,
               name_of(run.visit.arm), run.wall_s, duration_left(journal.content(), runs));
  };
  const std::size_t runs = visits_of(journal.content().plan).size();
  const auto resume = fmt::format("gonogo {} --journal {}", command, journal.path().string());
  if (!journal.content().runs.empty())
    fmt::print(stderr, "{}: {} of {} runs are there already\n", journal.path().string(), journal.content().runs.size(),
               runs);
  try {
    if (run_session(journal, told) == SessionEnd::complete) return true;
  } catch (const core::Error&) {
    if (!journal.content().runs.empty())
      fmt::print(stderr, "{} of {} runs are kept; to go on: {}\n", journal.content().runs.size(), runs, resume);
    throw;
  }
  fmt::print(stderr, "interrupted: {} of {} runs are kept; to go on: {}\n", journal.content().runs.size(), runs,
             resume);
  return false;
}

}  // namespace gonogo::reports
