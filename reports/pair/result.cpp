#include "reports/pair/result.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/stats/paired.hpp"

namespace gonogo::reports {
namespace {

// The value of one metric in one run, or why there is none.
std::optional<double> value_in(const Run& run, const std::string& name, std::string& fault) {
  const auto found = run.readings.metrics.find(name);
  const auto where = fmt::format("in block {} of {}", run.visit.block + 1, name_of(run.visit.arm));
  if (found == run.readings.metrics.end())
    fault = fmt::format("missing {}", where);
  else if (found->second.status != "ok" || !found->second.value)
    fault = fmt::format("{} {}: {}", found->second.status, where, found->second.reason);
  else
    return found->second.value;
  return std::nullopt;
}

void add_floors(std::vector<PairedMetric>& metrics, const NoiseFile& noise) {
  for (PairedMetric& metric : metrics)
    if (const auto row = noise.rows.find(metric.name); row != noise.rows.end())
      metric.floor = std::max(metric.floor, row->second.mean_floor);
}

// What the control arm, the same code, was away from a.
void add_control_floors(std::vector<PairedMetric>& metrics, const std::vector<Decision>& control) {
  for (std::size_t i = 0; i < metrics.size(); ++i)
    if (control[i].change) metrics[i].floor = std::max(metrics[i].floor, std::abs(std::log1p(*control[i].change)));
}

bool moved(const Decision& row) { return row.call == Call::regression || row.call == Call::improvement; }

// Worst first: what failed, then regressions by the bound nearest to no change, and so on; unchanged last.
void sort_worst_first(std::vector<Decision>& rows) {
  const auto rank = [](const Decision& row) {
    constexpr int kRanks[] = {1, 3, 4, 2, 0};  // regression, improvement, unchanged, inconclusive, failed
    return kRanks[static_cast<std::size_t>(row.call)];
  };
  const auto harm = [](const Decision& row) {
    if (!row.interval) return 0.0;
    return row.better == record::Better::lower ? row.interval->low : -row.interval->high;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const Decision& x, const Decision& y) {
    return rank(x) != rank(y) ? rank(x) < rank(y) : harm(x) > harm(y);
  });
}

std::vector<std::string> notes_of(const JournalContent& content, const PairResult& result, bool has_floor) {
  std::vector<std::string> notes;
  if (!has_floor)
    notes.push_back("no A/A noise floor is known here: the threshold is the practical size alone (gonogo calibrate)");
  if (!content.plan.allow.empty())
    notes.push_back(
        fmt::format("runs that differ in {} were let through (--allow)", fmt::join(content.plan.allow, ", ")));
  if (!content.failures.empty())
    notes.push_back(fmt::format("{} run{} failed and {} done again", content.failures.size(),
                                content.failures.size() == 1 ? "" : "s",
                                content.failures.size() == 1 ? "was" : "were"));
  const auto processors = static_cast<double>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  const auto busy =
      std::count_if(content.runs.begin(), content.runs.end(), [&](const Run& run) { return run.load > processors; });
  if (busy > 0)
    notes.push_back(fmt::format("{} of {} runs started at a load above the {:g} processors of this machine", busy,
                                content.runs.size(), processors));
  const auto warned = std::count_if(content.runs.begin(), content.runs.end(),
                                    [](const Run& run) { return !run.readings.warnings.empty(); });
  if (warned > 0)
    notes.push_back(fmt::format("{} of {} runs carry warnings; the first: {}", warned, content.runs.size(),
                                std::find_if(content.runs.begin(), content.runs.end(), [](const Run& run) {
                                  return !run.readings.warnings.empty();
                                })->readings.warnings.front()));
  for (const Decision& row : result.control)
    if (moved(row))
      notes.push_back(
          fmt::format("the control arm is a's own code and yet moved: {} by {:+.2f} %", row.name, *row.change * 100));
  return notes;
}

void conclude(PairResult& result) {
  using core::ExitCode;
  const auto any = [](const std::vector<Decision>& rows, auto&& test) {
    return std::any_of(rows.begin(), rows.end(), test);
  };
  const auto called = [](Call call) { return [call](const Decision& row) { return row.call == call; }; };
  const std::pair<bool, std::pair<ExitCode, const char*>> reasons[] = {
      {any(result.rows, called(Call::failed)), {ExitCode::failed_rows, "FAILED"}},
      {any(result.rows, called(Call::regression)), {ExitCode::no_go, "REGRESSION"}},
      {any(result.control, moved), {ExitCode::invalid_environment, "INVALID"}},
      {any(result.rows, called(Call::inconclusive)), {ExitCode::inconclusive, "INCONCLUSIVE"}}};
  result.exit_code = ExitCode::ok;
  result.verdict = "NO REGRESSION";
  for (const auto& [holds, outcome] : reasons) {
    const auto code = core::stronger(result.exit_code, outcome.first);
    if (!holds || code == result.exit_code) continue;
    result.exit_code = code;
    result.verdict = outcome.second;
  }
}

}  // namespace

std::vector<PairedMetric> paired_metrics(const JournalContent& content, Arm base, Arm candidate) {
  std::vector<PairedMetric> metrics;
  if (content.runs.empty()) return metrics;
  for (const auto& [name, reading] : content.runs.front().readings.metrics) {
    PairedMetric metric{.name = name, .unit = reading.unit, .better = reading.better};
    std::vector<std::optional<double>> a(content.plan.blocks), b(content.plan.blocks);
    for (const Run& run : content.runs) {
      if (run.visit.arm != base && run.visit.arm != candidate) continue;
      std::string fault;
      (run.visit.arm == base ? a : b)[run.visit.block] = value_in(run, name, fault);
      if (metric.fault.empty() && !fault.empty()) {
        metric.fault = fault;
        metric.unmeasured = fault.rfind("unmeasured", 0) == 0 || fault.rfind("skipped", 0) == 0;
      }
      if (const auto found = run.readings.metrics.find(name);
          found != run.readings.metrics.end() && found->second.unit != reading.unit && metric.fault.empty())
        metric.fault = fmt::format("in {}, in an earlier run in {}", found->second.unit, reading.unit);
    }
    for (std::size_t block = 0; block < content.plan.blocks && metric.fault.empty(); ++block) {
      if (!a[block] || !b[block]) break;  // not run yet
      metric.a.push_back(*a[block]);
      metric.b.push_back(*b[block]);
    }
    metrics.push_back(std::move(metric));
  }
  return metrics;
}

PairResult judge_session(const JournalContent& content, const std::optional<NoiseFile>& noise, DecisionRule rule) {
  rule.alpha = content.plan.alpha;
  rule.practical = content.plan.practical;
  const auto orders = orders_of(content.plan);
  PairResult result{.verdict = {}, .rule = rule};
  auto metrics = paired_metrics(content, Arm::a, Arm::b);
  if (noise) {
    if (const auto holds = holds_for(
            *noise, content.runs.empty() ? std::map<std::string, std::string>{} : content.runs.front().readings.facts);
        !holds)
      throw core::EnvironmentError(fmt::format("the noise floor is another machine's: {}", to_string(holds.reason())));
    add_floors(metrics, *noise);
  }
  if (content.plan.control) {
    result.control = decide(paired_metrics(content, Arm::a, Arm::control), orders, rule);
    add_control_floors(metrics, result.control);
  }
  result.rows = decide(metrics, orders, rule);
  result.notes = notes_of(content, result, noise || content.plan.control);
  sort_worst_first(result.rows);
  conclude(result);
  return result;
}

}  // namespace gonogo::reports
