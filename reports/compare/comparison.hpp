// Two sides compared row by row: a pure function from runs to findings. Source: docs/measuring.md, "Comparing runs".
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/exit_code.hpp"
#include "harness/stats/bootstrap.hpp"
#include "reports/import/imported_run.hpp"

namespace gonogo::reports {

/// What identical code shows, by row: the size of a log-ratio that 95 % of pairs of runs stay within.
struct NoiseFloor {
  double one_run = 0;    // between two single runs
  double many_runs = 0;  // between the means of many
};

struct ComparePolicy {
  double alpha = 0.05;          // of the whole family of rows, both directions together
  double practical = 0.02;      // relative changes up to this size do not matter
  double floor_times = 2;       // k: the limit is max(practical, k x noise floor)
  double process_floor = 0.05;  // the noise floor taken where one process a side was run and none was measured
  double timer_floor_ns = 500;  // changes of a time below this, divided by the iterations of a sample, are the timer's
  double power = 0.8;           // of the smallest effect that is told
  bool gate = false;            // a claim: Holm instead of Benjamini-Hochberg, and no floor is taken on trust
  bool paired = false;          // the i-th runs (or samples) of both sides were taken next to each other
  std::set<std::string> allowed;            // keys in which the sides may differ; "missing": rows may be missing
  std::vector<std::string> metrics;         // only these; empty: all
  std::map<std::string, NoiseFloor> noise;  // measured, by row name, metric, or "name metric"
};

/// In the order of a report, worst first.
enum class Finding {
  regression,
  failed,         // no valid result in the candidate
  missing,        // in the base only
  invalid,        // a value nothing can be compared with: a time of 0
  inconclusive,   // the data leave both open
  not_decidable,  // data of this kind cannot show anything
  improvement,
  added,    // in the candidate only
  ungated,  // nobody said whether more is better
  unchanged,
  derived,  // follows from other rows
  skipped,  // on both sides
};
inline constexpr std::size_t kFindings = 12;
[[nodiscard]] std::string_view name_of(Finding finding);
/// Shown in full; the others are folded.
[[nodiscard]] bool is_neutral(Finding finding);

/// Relative numbers are cand / base - 1: positive when the candidate is larger, whatever is better.
struct ComparedRow {
  std::string name, metric, unit, device, model, levers;
  record::Better better = record::Better::lower;
  Finding finding = Finding::not_decidable;
  std::string reason;
  std::size_t base_n = 0, cand_n = 0;
  std::optional<double> base, cand;         // medians
  std::optional<double> change;             // Hodges-Lehmann, or mean of pairs
  std::optional<stats::Interval> interval;  // at 1 - alpha, of this row alone
  std::optional<double> p, p_adjusted;      // that the change is within the limit, two-sided
  std::optional<double> limit;              // relative
  std::string limit_from;                   // "practical", "2 x noise floor"...
  std::optional<double> detectable;         // the smallest change these data would have shown
  std::optional<std::size_t> needed;        // a side (or pairs), to decide
  double worse = 0;                         // log-ratio towards the worse; the order of rows within a finding
};

struct Difference {
  std::string key, base, cand;  // empty: not said
  bool refused = false;
  bool allowed = false;  // would have been refused
};

struct SideInfo {
  std::vector<std::string> files;
  Format format = Format::google_benchmark;
  std::size_t runs = 0, rows = 0, failed = 0, skipped = 0;
  std::vector<std::string> argv;
};

struct Rename {
  std::string from, to;
};

/// What the design can show at all, known before anything is decided.
struct Reachable {
  std::size_t tested = 0;  // rows with a p-value
  std::size_t fewest = 0;  // values on the poorest side of any of them
  double level = 0;        // of one row that stands alone: alpha / tested
  double smallest_p = 1;   // that `fewest` can reach
  std::size_t needed = 0;  // a side, for the level
  bool never = false;      // no row can reach its level whatever the effect
};

struct RunComparison {
  bool comparable = true;
  core::ExitCode exit_code = core::ExitCode::inconclusive;
  std::string verdict;  // "REGRESSION", "FAILED ROWS", "NOT COMPARABLE", "INCONCLUSIVE", "NO REGRESSION"
  SideInfo base, cand;
  ComparePolicy policy;
  std::vector<Difference> differences;
  std::vector<ComparedRow> rows;  // worst first; empty when not comparable
  std::map<Finding, std::size_t> counts;
  Reachable reach;
  std::vector<Rename> renames;  // guesses
  std::vector<std::string> notes, blind_spots;
};

/// Throws core::UsageError for a policy that cannot be: an unknown key in `allowed`, pairs of unequal numbers.
[[nodiscard]] RunComparison compare(const std::vector<ImportedRun>& base, const std::vector<ImportedRun>& cand,
                                    const ComparePolicy& policy);

/// The floors of a file of `gonogo calibrate`, for ComparePolicy::noise. Throws core::InputError for a malformed file
/// and core::EnvironmentError for one of another machine.
[[nodiscard]] std::map<std::string, NoiseFloor> floors_from(const std::string& file,
                                                            const std::vector<ImportedRun>& base,
                                                            const std::vector<ImportedRun>& cand);

/// "REGRESSION · 1 regression · 41 unchanged"
[[nodiscard]] std::string summary_line(const RunComparison& comparison);
/// The command that measures this row again; empty where the format does not say enough.
[[nodiscard]] std::string reproduce_command(const RunComparison& comparison, const ComparedRow& row);

enum class Style { plain, seeds };

[[nodiscard]] std::string to_text(const RunComparison& comparison, Style style, bool all_rows);
/// At most `budget` bytes; what did not fit is counted in it.
[[nodiscard]] std::string to_markdown(const RunComparison& comparison, Style style, std::size_t budget = 65000);
[[nodiscard]] std::string to_csv(const RunComparison& comparison);
[[nodiscard]] Json to_json(const RunComparison& comparison);

}  // namespace gonogo::reports
