#include "reports/compare/tell.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "reports/render/numbers.hpp"

namespace gonogo::reports {
namespace {

std::string plural(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

bool says_machine(const std::vector<ImportedRun>& runs) {
  for (const Fact& fact : runs.front().facts)
    for (const char* key : {"device", "cpus", "cpu", "host"})
      if (fact.key == key) return true;
  return false;
}

bool has_metric(const Comparison& comparison, std::string_view start) {
  for (const ComparedRow& row : comparison.rows)
    if (row.metric.compare(0, start.size(), start) == 0) return true;
  return false;
}

bool of_one_process(const std::vector<ImportedRun>& runs) {
  return runs.size() == 1 && runs.front().source == SampleSource::one_process;
}

}  // namespace

std::string_view name_of(Finding finding) {
  switch (finding) {
    case Finding::regression:
      return "regression";
    case Finding::failed:
      return "failed";
    case Finding::missing:
      return "missing";
    case Finding::invalid:
      return "invalid";
    case Finding::inconclusive:
      return "inconclusive";
    case Finding::not_decidable:
      return "not decidable";
    case Finding::improvement:
      return "improvement";
    case Finding::added:
      return "new";
    case Finding::ungated:
      return "no direction";
    case Finding::unchanged:
      return "unchanged";
    case Finding::derived:
      return "derived";
    case Finding::skipped:
      break;
  }
  return "skipped";
}

bool is_neutral(Finding finding) { return finding >= Finding::unchanged; }

void add_notes(Comparison& comparison, const std::vector<ImportedRun>& base, const std::vector<ImportedRun>& cand) {
  for (const auto* runs : {&base, &cand}) {
    std::set<std::string> told;
    for (const ImportedRun& run : *runs)
      for (const std::string& note : run.notes)
        if (told.insert(note).second) comparison.notes.push_back(fmt::format("{}: {}", run.file, note));
  }
  for (const Rename& rename : comparison.renames)
    comparison.notes.push_back(
        rename.from == rename.to ? fmt::format("{} is missing and new: its levers, device or model differ", rename.from)
                                 : fmt::format("renamed? {} -> {}", rename.from, rename.to));
  auto& blind = comparison.blind_spots;
  if (of_one_process(base) || of_one_process(cand))
    blind.push_back(
        "what differs from process to process (memory layout, clocks, neighbours): one process a side was run; "
        "gonogo pair runs fresh ones");
  if (!comparison.policy.paired)
    blind.push_back("drift of the machine between the two sides: they were not interleaved");
  blind.push_back(fmt::format("changes within {}, and many small ones that add up: keep an anchor that never moves",
                              percent(comparison.policy.practical)));
  if (!says_machine(base) && !says_machine(cand))
    blind.push_back("another machine: neither side says where it was measured");
  if (!has_metric(comparison, "parity.")) blind.push_back("wrong results: only times were compared");
}

std::string label(const ComparedRow& row, bool with_metric) {
  std::string text = with_metric ? fmt::format("{} {}", row.name, row.metric) : row.name;
  return text;
}

bool has_several_metrics(const Comparison& comparison) {
  for (const ComparedRow& row : comparison.rows)
    if (row.metric != comparison.rows.front().metric) return true;
  return false;
}

std::string change_cell(const ComparedRow& row) { return or_dash(row.change, signed_percent); }

std::string interval_cell(const ComparedRow& row) {
  return row.interval ? fmt::format("[{}, {}]", signed_percent(row.interval->low), signed_percent(row.interval->high))
                      : "-";
}

std::string count_cell(const ComparedRow& row) {
  return row.base_n == row.cand_n ? fmt::format("{}", row.base_n) : fmt::format("{}+{}", row.base_n, row.cand_n);
}

std::string_view seeds_icon(const ComparedRow& row) {
  if (!row.change) return " ";
  const double worse = row.better == record::Better::higher ? -*row.change : *row.change;
  if (worse >= 0.30) return "\xF0\x9F\x94\xB4";          // red circle
  if (worse >= 0.15) return "\xE2\x9A\xA0\xEF\xB8\x8F";  // warning sign
  if (worse <= -0.15) return "\xF0\x9F\x9F\xA2";         // green circle
  return "\xE2\x9C\x85";                                 // check mark
}

std::string summary_line(const Comparison& comparison) {
  std::string line = comparison.verdict;
  if (!comparison.comparable) {
    std::string keys;
    for (const Difference& difference : comparison.differences)
      if (difference.refused) keys += fmt::format("{}{}", keys.empty() ? "" : ", ", difference.key);
    return fmt::format("{} · the sides differ in {}", line, keys);
  }
  for (const auto& [finding, count] : comparison.counts)
    line += fmt::format(" · {} {}", count,
                        count == 1 ? std::string(name_of(finding))
                        : finding == Finding::regression || finding == Finding::improvement
                            ? fmt::format("{}s", name_of(finding))
                            : std::string(name_of(finding)));
  return line;
}

std::string folded_line(const Comparison& comparison) {
  std::string line;
  for (const auto& [finding, count] : comparison.counts)
    if (is_neutral(finding)) line += fmt::format("{}{} {}", line.empty() ? "" : ", ", count, name_of(finding));
  return line;
}

std::string plan_line(const Comparison& comparison) {
  const Reachable& reach = comparison.reach;
  if (reach.tested == 0) return "";
  const char* unit = comparison.policy.paired ? "pairs" : "values a side";
  std::string line =
      fmt::format("{} tested, at least {} {} each", plural(reach.tested, "row", "rows"), reach.fewest, unit);
  if (reach.smallest_p <= reach.level) return line;
  line += fmt::format(": they reach p = {} at best, a row that changes alone needs {} ({} {})",
                      significant(reach.smallest_p, 2), significant(reach.level, 2), reach.needed, unit);
  if (reach.never) line += "; as a gate this comparison can never fire";
  return line;
}

std::string policy_line(const Comparison& comparison) {
  const ComparePolicy& policy = comparison.policy;
  std::string line =
      fmt::format("{} at {} over all rows ({}), beyond max({}, {:g} x noise floor) and {:g} ns of the timer",
                  policy.paired ? "Sign-flip of pairs" : "Rank-sum", percent(policy.alpha),
                  policy.gate ? "Holm" : "Benjamini-Hochberg", percent(policy.practical), policy.floor_times,
                  policy.timer_floor_ns);
  if (!policy.gate)
    line += fmt::format("; noise floor of one process a side, where not measured: {}", percent(policy.process_floor));
  if (!policy.allowed.empty()) line += fmt::format("; allowed to differ: {}", fmt::join(policy.allowed, ", "));
  return line;
}

std::string difference_line(const Difference& difference) {
  const auto shown = [](const std::string& value) { return value.empty() ? std::string("(not said)") : value; };
  return fmt::format("{}: {} -> {}{}", difference.key, shown(difference.base), shown(difference.cand),
                     difference.refused   ? fmt::format(" (refused; --allow {})", difference.key)
                     : difference.allowed ? " (allowed)"
                                          : "");
}

std::string side_line(const SideInfo& side) {
  namespace fs = std::filesystem;
  if (side.runs == 1) return side.files.front();
  return fmt::format("{} ({} runs)", fs::path(side.files.front()).parent_path().string(), side.runs);
}

}  // namespace gonogo::reports
