// When measuring may begin: once the rolling median is flat on the path that will be measured.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace gonogo::measure {

struct WarmUpRule {
  std::size_t min_runs = 3;
  std::size_t max_runs = 1000;
  double max_seconds = 2.0;
  std::size_t window = 3;   // runs per window
  std::size_t windows = 3;  // consecutive windows that must agree
  double tolerance = 0.01;  // largest of their medians / smallest - 1
};

enum class WarmUpEnd { going, flat, max_runs, max_time };
[[nodiscard]] std::string_view name_of(WarmUpEnd end);

/// Feed it every warm-up run; stop when end() is no longer `going`. Runs on another path than the measured one (say,
/// eager while the graph is not yet captured) count towards the limits but never towards flatness.
class WarmUp {
 public:
  explicit WarmUp(const WarmUpRule& rule);
  /// `ms`: the run's time, finite and >= 0; `measured_path`: it took the path that will be measured.
  void add(double ms, bool measured_path = true);
  [[nodiscard]] WarmUpEnd end() const { return end_; }
  [[nodiscard]] bool done() const { return end_ != WarmUpEnd::going; }
  [[nodiscard]] std::size_t runs() const { return runs_; }
  /// Time of all runs so far.
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  [[nodiscard]] bool flat() const;
  WarmUpRule rule_;
  WarmUpEnd end_ = WarmUpEnd::going;
  std::size_t runs_ = 0;
  double seconds_ = 0;
  std::vector<double> on_path_;  // since the last run on another path
};

}  // namespace gonogo::measure
