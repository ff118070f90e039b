// A run in the forms that other tools read. Rows without a value are left out, for none of these forms can hold one.
#pragma once

#include <string>
#include <vector>

#include "reports/import/imported_run.hpp"

namespace gonogo::reports {

struct Exported {
  Json document;
  std::size_t rows = 0;
  std::vector<std::string> left_out;  // "name metric: why"
};

/// Google Benchmark: one row a sample, times in nanoseconds; what is no time becomes a counter of the row of the same
/// name, or is left out where no time of that name exists.
[[nodiscard]] Exported export_google(const ImportedRun& run);

/// Bencher's metric format: {benchmark: {measure: {value, lower_value, upper_value}}}; times under "latency" in
/// nanoseconds, tok/s and the like under "throughput", others under their metric's name. The value is the median, the
/// bounds are the extremes of the samples.
[[nodiscard]] Exported export_bencher(const ImportedRun& run);

/// github-action-benchmark's customSmallerIsBetter (Better::lower) or customBiggerIsBetter (Better::higher): an array
/// of {name, unit, value, range, extra} of the rows of that direction. Throws LogicError for Better::none.
[[nodiscard]] Exported export_action(const ImportedRun& run, record::Better better);

}  // namespace gonogo::reports
