// Decision rules on one budget of measuring: ours, and those of the tools people use, as their sources and manuals
// state them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "reports/pair/decide.hpp"
#include "reports/selftest/scenario.hpp"

namespace gonogo::reports {

enum class Answer { same, slower, faster };

/// What every rule may spend on an arm: processes x samples. A rule that uses one process takes all samples in it.
struct Budget {
  std::size_t processes = 12;
  std::size_t samples = 20;
};

/// One simulated session under a rule: measures as the tool measures, then decides as it decides.
using SessionRule = std::function<Answer(const Scenario&, double effect, std::mt19937_64&)>;

struct PeerRule {
  std::string name;
  std::string how;  // measuring and deciding, in one sentence
  SessionRule session;
};

/// gonogo pair on `rows` metrics, of which the first carries the effect; slower (faster) when any is called so.
[[nodiscard]] SessionRule gonogo_rule(const Budget& budget, const DecisionRule& rule, std::size_t rows = 1);

/// gonogo with and without its practical size, Google Benchmark's compare.py, benchstat in one process and in fresh
/// ones, nvbench's comparison of means against the smaller noise, and a fixed threshold.
[[nodiscard]] std::vector<PeerRule> peer_rules(const Budget& budget, const DecisionRule& rule);

/// Google Benchmark's compare.py (with SciPy): two-sided rank-sum, exact up to 8 values a side without ties, else the
/// normal approximation.
[[nodiscard]] double google_p(std::span<const double> base, std::span<const double> candidate);
/// nvbench_compare: the difference of means against the smaller relative standard deviation.
[[nodiscard]] Answer nvbench_answer(std::span<const double> base, std::span<const double> candidate);

}  // namespace gonogo::reports
