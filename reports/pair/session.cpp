#include "reports/pair/session.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.hpp"
#include "reports/pair/process.hpp"

namespace gonogo::reports {
namespace {

std::string place_of(const Visit& visit, std::size_t runs) {
  return fmt::format("run {} of {} ({}, block {})", visit.index + 1, runs, name_of(visit.arm), visit.block + 1);
}

const std::string& command_of(const PairPlan& plan, Arm arm) {
  if (arm == Arm::control) return *plan.control;
  return arm == Arm::a ? plan.a : plan.b;
}

// The last lines a failed command wrote, for the error message.
std::string last_words(const std::string& messages) {
  std::string trimmed = messages.substr(0, messages.find_last_not_of(" \n\r\t") + 1);
  std::size_t from = trimmed.size();
  for (int line = 0; line < 3 && from != std::string::npos && from > 0; ++line) from = trimmed.rfind('\n', from - 1);
  if (from != std::string::npos && from < trimmed.size()) trimmed.erase(0, from + 1);
  if (trimmed.size() > 600) trimmed.erase(0, trimmed.size() - 600);
  return trimmed.empty() ? "it wrote nothing on stderr" : fmt::format("its last words:\n{}", trimmed);
}

std::string end_of(const ShellRun& run, const PairPlan& plan) {
  if (run.timed_out) return fmt::format("took longer than {:g} s", plan.timeout_s);
  if (run.signal != 0) return fmt::format("was ended by signal {}", run.signal);
  return fmt::format("ended with exit code {}", run.exit_code);
}

// A record's exit code carries its verdict; what was measured stands.
bool ended_well(const ShellRun& run) {
  if (run.timed_out || run.signal != 0) return false;
  return run.exit_code == 0 || run.exit_code == 1 || run.exit_code == 3;
}

Readings read_run(const ShellRun& run, const PairPlan& plan, const std::string& place) {
  if (!ended_well(run)) throw core::ResultError(fmt::format("{}; {}", end_of(run, plan), last_words(run.messages)));
  Readings readings;
  try {
    readings = read_output(run.output, fmt::format("output of {}", place), plan.stack);
  } catch (const core::InputError& error) {
    throw core::ResultError(fmt::format("{}, and: {}", end_of(run, plan), error.what()));
  }
  if (run.exit_code != 0 && !readings.contract)
    throw core::ResultError(fmt::format("{}; {}", end_of(run, plan), last_words(run.messages)));
  if (!readings.partial_reason.empty())
    throw core::ResultError(fmt::format("wrote a partial record: {}", readings.partial_reason));
  return readings;
}

std::vector<std::string> chosen_metrics(const Readings& readings, const PairPlan& plan) {
  std::vector<std::string> there;
  for (const auto& [name, unused] : readings.metrics) there.push_back(name);
  const auto some = [&] {
    const bool cut = there.size() > 12;
    if (cut) there.resize(12);
    return fmt::format("{}{}", fmt::join(there, ", "), cut ? ", ..." : "");
  };
  for (const std::string& pattern : plan.metrics)
    if (selected(readings, {pattern}).empty())
      throw core::UsageError(
          fmt::format("--metrics: {} selects no metric that has a direction; there are: {}", pattern, some()));
  auto names = selected(readings, plan.metrics);
  if (names.empty())
    throw core::UsageError(fmt::format("no headline metric in the first run; name some with --metrics: {}", some()));
  return names;
}

void keep_only(Readings& readings, const std::vector<std::string>& names) {
  std::map<std::string, Reading> kept;
  for (const std::string& name : names)
    if (const auto found = readings.metrics.find(name); found != readings.metrics.end()) kept.insert(*found);
  readings.metrics = std::move(kept);
}

void check_facts(const Readings& first, const Readings& now, const std::vector<std::string>& allowed) {
  std::vector<std::string> differences;
  for (const auto& [key, value] : first.facts) {
    const auto found = now.facts.find(key);
    const auto other = found == now.facts.end() ? std::string("unknown") : found->second;
    if (other != value && std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      differences.push_back(fmt::format("its {} is '{}', that of the first run '{}'", key, other, value));
  }
  if (!differences.empty())
    throw core::EnvironmentError(
        fmt::format("not comparable: {} (--allow NAME to compare nevertheless)", fmt::join(differences, "; ")));
}

// The metrics of the first run are the family; later runs are held to it.
void keep_family(Readings& readings, const JournalContent& content, const SessionView& view) {
  if (content.runs.empty()) {
    const auto names = chosen_metrics(readings, content.plan);
    if (view.chosen) view.chosen(names.size());
    return keep_only(readings, names);
  }
  const Readings& first = content.runs.front().readings;
  check_facts(first, readings, content.plan.allow);
  std::vector<std::string> names;
  for (const auto& [name, unused] : first.metrics) names.push_back(name);
  keep_only(readings, names);
}

}  // namespace

SessionEnd run_session(Journal& journal, const SessionView& view) {
  const PairPlan plan = journal.content().plan;
  const auto visits = visits_of(plan);
  const SignalHold signals;
  while (journal.content().runs.size() < visits.size()) {
    const Visit visit = visits[journal.content().runs.size()];
    const auto place = place_of(visit, visits.size());
    if (signals.asked_to_stop()) return SessionEnd::interrupted;
    Run run{.visit = visit, .started = {}, .readings = {}};
    ::getloadavg(&run.load, 1);
    const ShellRun shell =
        run_shell({.text = command_of(plan, visit.arm), .gpu = plan.gpu, .timeout_s = plan.timeout_s}, signals);
    if (shell.interrupted) return SessionEnd::interrupted;
    run.pid = shell.pid;
    run.exit_code = shell.exit_code;
    run.wall_s = shell.wall_s;
    run.started = shell.started;
    try {
      if (shell.exit_code == 5)
        throw core::EnvironmentError(
            fmt::format("ended with exit code 5: this machine is not valid; {}", last_words(shell.messages)));
      run.readings = read_run(shell, plan, place);
      keep_family(run.readings, journal.content(), view);
    } catch (const core::UsageError&) {
      throw;  // nothing was wrong with the run
    } catch (const core::Error& error) {
      const auto message = fmt::format("{}: {}", place, error.what());
      journal.append_failure(visit.index, message);
      throw core::Error(error.code(), message);
    }
    journal.append(run);
    if (view.kept) view.kept(run, visits.size());
  }
  return SessionEnd::complete;
}

}  // namespace gonogo::reports
