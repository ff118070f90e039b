#include "harness/measure/warm_up.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "harness/core/error.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::measure {

std::string_view name_of(WarmUpEnd end) {
  switch (end) {
    case WarmUpEnd::going:
      return "going";
    case WarmUpEnd::flat:
      return "flat";
    case WarmUpEnd::max_runs:
      return "max_runs";
    case WarmUpEnd::max_time:
      break;
  }
  return "max_time";
}

WarmUp::WarmUp(const WarmUpRule& rule) : rule_(rule) {
  GONOGO_EXPECT(rule.window > 0 && rule.windows > 0 && rule.max_runs > 0,
                fmt::format("{} {} {}", rule.window, rule.windows, rule.max_runs));
}

void WarmUp::add(double ms, bool measured_path) {
  GONOGO_EXPECT(std::isfinite(ms) && ms >= 0, fmt::format("{} ms", ms));
  ++runs_;
  seconds_ += ms * 1e-3;
  if (measured_path) {
    on_path_.push_back(ms);
  } else {
    on_path_.clear();
  }
  if (runs_ >= rule_.min_runs && flat()) {
    end_ = WarmUpEnd::flat;
  } else if (runs_ >= rule_.max_runs) {
    end_ = WarmUpEnd::max_runs;
  } else if (runs_ >= rule_.min_runs && seconds_ >= rule_.max_seconds) {
    end_ = WarmUpEnd::max_time;
  }
}

bool WarmUp::flat() const {
  const std::size_t needed = rule_.window * rule_.windows;
  if (on_path_.size() < needed) return false;
  const auto last = std::span(on_path_).last(needed);
  double smallest = 0, largest = 0;
  for (std::size_t i = 0; i < rule_.windows; ++i) {
    const double median = *stats::median(last.subspan(i * rule_.window, rule_.window));
    smallest = i == 0 ? median : std::min(smallest, median);
    largest = std::max(largest, median);
  }
  return largest <= smallest * (1 + rule_.tolerance);
}

}  // namespace gonogo::measure
