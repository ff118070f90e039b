// Words that every form of a comparison shares.
#pragma once

#include "reports/compare/comparison.hpp"

namespace gonogo::reports {

/// Notes and blind spots: what the runs said of themselves, what the design cannot show.
void add_notes(Comparison& comparison, const std::vector<ImportedRun>& base, const std::vector<ImportedRun>& cand);

/// Benchmark and metric as one label; the metric is left out where every row has the same.
[[nodiscard]] std::string label(const ComparedRow& row, bool with_metric);
[[nodiscard]] bool has_several_metrics(const Comparison& comparison);

[[nodiscard]] std::string change_cell(const ComparedRow& row);    // "+12.3 %"
[[nodiscard]] std::string interval_cell(const ComparedRow& row);  // "[+8 %, +16 %]"
[[nodiscard]] std::string count_cell(const ComparedRow& row);     // "10+12"
/// The seeds' sign of a size: red 30 % worse, warning 15 % worse, green 15 % better, else a check.
[[nodiscard]] std::string_view seeds_icon(const ComparedRow& row);

/// "9 unchanged, 2 derived" of the neutral rows.
[[nodiscard]] std::string folded_line(const Comparison& comparison);
[[nodiscard]] std::string plan_line(const Comparison& comparison);
[[nodiscard]] std::string policy_line(const Comparison& comparison);
/// "device: A100 -> H200 (refused)"
[[nodiscard]] std::string difference_line(const Difference& difference);
/// "base.json", "runs/ (8 runs)"
[[nodiscard]] std::string side_line(const SideInfo& side);

}  // namespace gonogo::reports
