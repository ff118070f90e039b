// A finished A/A session as noise floors.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reports/pair/journal.hpp"
#include "reports/pair/noise.hpp"

namespace gonogo::reports {

struct Calibration {
  NoiseFile noise;
  std::vector<std::pair<std::string, std::string>> left_out;  // metric and why
  std::vector<std::string> warnings;                          // identical code that seems to have moved
};

/// Throws core::UsageError unless both arms are one command and there are blocks enough for a spread.
void check_calibration(const PairPlan& plan);

[[nodiscard]] Calibration calibrate(const JournalContent& content);
[[nodiscard]] std::string to_text(const Calibration& calibration);

}  // namespace gonogo::reports
