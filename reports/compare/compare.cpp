#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/stats/multiple.hpp"
#include "harness/stats/power.hpp"
#include "reports/compare/decide_row.hpp"
#include "reports/compare/tell.hpp"

namespace gonogo::reports {
namespace {

constexpr std::array<std::string_view, 3> kAlwaysAllowable{"missing", "levers", "format"};
constexpr std::size_t kMostRenameGuesses = 200;

// A misspelt key would allow nothing and say nothing.
void check_allowed(const ComparePolicy& policy, const std::vector<ImportedRun>& base,
                   const std::vector<ImportedRun>& cand) {
  std::vector<std::string> known(kAlwaysAllowable.begin(), kAlwaysAllowable.end());
  known.insert(known.end(), {"device", "model"});
  for (const auto* runs : {&base, &cand})
    for (const ImportedRun& run : *runs)
      for (const Fact& fact : run.facts)
        if (fact.kind != FactKind::environment) known.push_back(fact.key);
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  for (const std::string& key : policy.allowed)
    if (!std::binary_search(known.begin(), known.end(), key)) {
      const std::string near = core::nearest(key, known);
      throw core::UsageError(fmt::format("--allow: no such key '{}'{}; these runs have {}", key,
                                         near.empty() ? "" : fmt::format(", did you mean '{}'?", near),
                                         fmt::join(known, ", ")));
    }
}

void check_metrics(const ComparePolicy& policy, const Side& base, const Side& cand) {
  if (policy.metrics.empty() || !base.rows.empty() || !cand.rows.empty()) return;
  throw core::UsageError(fmt::format("--metric: neither side has {}", fmt::join(policy.metrics, " or ")));
}

void check_pairs(const ComparePolicy& policy, const Side& base, const Side& cand) {
  if (!policy.paired) return;
  if (base.runs != cand.runs)
    throw core::UsageError(
        fmt::format("--paired: {} runs of the base and {} of the candidate make no pairs", base.runs, cand.runs));
  for (const SideRow& row : base.rows) {
    const auto found = cand.by_key.find(key_of(*row.row, policy));
    if (found == cand.by_key.end() || row.status != record::Status::ok) continue;
    const SideRow& other = cand.rows[found->second];
    if (other.status == record::Status::ok && other.values.size() != row.values.size())
      throw core::UsageError(fmt::format("--paired: {} {} has {} values in the base and {} in the candidate",
                                         row.row->name, row.row->metric, row.values.size(), other.values.size()));
  }
}

std::vector<RowCase> weigh_all(const Side& base, const Side& cand, const ComparePolicy& policy) {
  std::vector<RowCase> cases;
  const Sides sides{base, cand};
  for (const SideRow& row : base.rows) {
    const auto found = cand.by_key.find(key_of(*row.row, policy));
    cases.push_back(weigh(&row, found == cand.by_key.end() ? nullptr : &cand.rows[found->second], sides, policy));
  }
  for (const SideRow& row : cand.rows)
    if (base.by_key.count(key_of(*row.row, policy)) == 0) cases.push_back(weigh(nullptr, &row, sides, policy));
  return cases;
}

Reachable reach_of(const std::vector<RowCase>& cases, const ComparePolicy& policy) {
  Reachable reach;
  double best = 1;
  for (const RowCase& each : cases) {
    if (!each.tested) continue;
    const std::size_t n = std::min(each.row.base_n, each.row.cand_n);
    if (reach.tested++ == 0 || n < reach.fewest) reach.fewest = n, reach.smallest_p = each.smallest_p;
    best = std::min(best, each.smallest_p);
  }
  if (reach.tested == 0) return reach;
  reach.level = policy.alpha / static_cast<double>(reach.tested);
  reach.needed = policy.paired ? stats::fewest_pairs(reach.level) : stats::fewest_a_side(reach.level);
  // Holm's first step is alpha / rows; Benjamini-Hochberg's last is alpha, which every tested row can reach.
  reach.never = policy.gate && best > reach.level;
  return reach;
}

void correct(std::vector<RowCase>& cases, const Reachable& reach, const ComparePolicy& policy) {
  std::vector<double> p;
  for (const RowCase& each : cases)
    if (each.tested) p.push_back(*each.row.p);
  const auto adjusted = policy.gate ? stats::holm(p) : stats::benjamini_hochberg(p);
  std::size_t next = 0;
  for (RowCase& each : cases) {
    if (!each.tested) continue;
    each.row.p_adjusted = adjusted[next++];
    conclude(each, reach.level, policy);
  }
}

core::ExitCode code_of(Finding finding, const ComparePolicy& policy) {
  switch (finding) {
    case Finding::regression:
      return core::ExitCode::no_go;
    case Finding::failed:
    case Finding::invalid:
      return core::ExitCode::failed_rows;
    case Finding::missing:
      return policy.allowed.count("missing") != 0 ? core::ExitCode::ok : core::ExitCode::failed_rows;
    case Finding::inconclusive:
    case Finding::not_decidable:
      return core::ExitCode::inconclusive;
    default:
      return core::ExitCode::ok;
  }
}

std::string verdict_of(core::ExitCode code) {
  switch (code) {
    case core::ExitCode::ok:
      return "NO REGRESSION";
    case core::ExitCode::no_go:
      return "REGRESSION";
    case core::ExitCode::failed_rows:
      return "FAILED ROWS";
    case core::ExitCode::invalid_environment:
      return "NOT COMPARABLE";
    default:
      return "INCONCLUSIVE";
  }
}

// A missing row and a new one of the same metric and unit with a near name may be one row that was renamed.
std::vector<Rename> guess_renames(const std::vector<ComparedRow>& rows) {
  std::vector<Rename> guesses;
  std::vector<const ComparedRow*> missing, added;
  for (const ComparedRow& row : rows) {
    if (row.finding == Finding::missing && row.cand_n == 0) missing.push_back(&row);
    if (row.finding == Finding::added && row.base_n == 0) added.push_back(&row);
  }
  if (missing.size() * added.size() > kMostRenameGuesses * kMostRenameGuesses) return guesses;
  for (const ComparedRow* gone : missing) {
    std::vector<std::string> names;
    for (const ComparedRow* fresh : added)
      if (fresh->metric == gone->metric && fresh->unit == gone->unit) names.push_back(fresh->name);
    const bool same_name = std::find(names.begin(), names.end(), gone->name) != names.end();
    const std::string near = same_name ? gone->name : core::nearest(gone->name, names);
    if (!near.empty()) guesses.push_back({gone->name, near});
  }
  return guesses;
}

void order(std::vector<ComparedRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const ComparedRow& a, const ComparedRow& b) {
    if (a.finding != b.finding) return a.finding < b.finding;
    if (a.finding == Finding::improvement) return a.worse < b.worse;
    if (a.finding == Finding::regression && a.interval && b.interval) {
      const auto certain = [](const ComparedRow& row) {  // the bound nearer to no change
        return row.better == record::Better::higher ? -row.interval->high : row.interval->low;
      };
      return certain(a) > certain(b);
    }
    return a.worse > b.worse;
  });
}

void count_and_judge(Comparison& result) {
  result.exit_code = core::ExitCode::ok;
  std::size_t matched = 0;
  for (const ComparedRow& row : result.rows) {
    ++result.counts[row.finding];
    if (row.base_n > 0 && row.cand_n > 0) ++matched;
    result.exit_code = core::stronger(result.exit_code, code_of(row.finding, result.policy));
  }
  if (matched == 0) {
    result.exit_code = core::ExitCode::failed_rows;
    result.notes.push_back(
        fmt::format("0 of {} rows compared: no row of the base has a counterpart with a value", result.base.rows));
  }
  result.verdict = verdict_of(result.exit_code);
}

}  // namespace

Comparison compare(const std::vector<ImportedRun>& base, const std::vector<ImportedRun>& cand,
                   const ComparePolicy& policy) {
  GONOGO_EXPECT(!base.empty() && !cand.empty(), "a side without a run");
  check_allowed(policy, base, cand);
  Comparison result;
  result.policy = policy;
  result.base = describe(base);
  result.cand = describe(cand);
  result.differences = differences(base, cand, policy);
  result.comparable = std::none_of(result.differences.begin(), result.differences.end(),
                                   [](const Difference& difference) { return difference.refused; });
  if (!result.comparable) {
    result.exit_code = core::ExitCode::invalid_environment;
    result.verdict = verdict_of(result.exit_code);
    return result;
  }
  const Side base_side = join(base, policy), cand_side = join(cand, policy);
  check_metrics(policy, base_side, cand_side);
  check_pairs(policy, base_side, cand_side);
  auto cases = weigh_all(base_side, cand_side, policy);
  result.reach = reach_of(cases, policy);
  correct(cases, result.reach, policy);
  for (RowCase& each : cases) result.rows.push_back(std::move(each.row));
  order(result.rows);
  count_and_judge(result);
  result.renames = guess_renames(result.rows);
  add_notes(result, base, cand);
  return result;
}

}  // namespace gonogo::reports
