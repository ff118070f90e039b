#include "reports/selftest/scenario.hpp"

#include <cmath>

#include "harness/stats/random.hpp"

namespace gonogo::reports {
namespace {

constexpr double kBase = 1000;  // microseconds; no rule depends on it

// Box and Muller: the standard library's own normal deviates differ between libraries.
double normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2 * std::log(stats::draw_unit(random)));
  return radius * std::cos(2 * std::acos(-1.0) * stats::draw_unit(random));
}

// Student's t with 3 degrees of freedom, scaled to a standard deviation of 1.
double heavy(std::mt19937_64& random) {
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const double z = normal(random);
    squares += z * z;
  }
  return normal(random) / std::sqrt(squares / 3) / std::sqrt(3.0);
}

double spike(const Scenario& scenario, std::mt19937_64& random) {
  const bool hit = stats::draw(random, 20) == 0;
  return hit ? 10 * scenario.within * stats::draw_unit(random) : 0;
}

}  // namespace

std::vector<Scenario> shipped_scenarios() {
  return {{.name = "quiet", .within = 0.003, .between = 0.001},
          {.name = "ordinary", .within = 0.005, .between = 0.005},
          {.name = "processes differ", .within = 0.005, .between = 0.01},
          {.name = "drift 3 %", .within = 0.005, .between = 0.005, .drift = 0.03},
          {.name = "heavy tails", .within = 0.005, .between = 0.01, .tails = Tails::heavy},
          {.name = "noisy, drift 2 %", .within = 0.01, .between = 0.02, .drift = 0.02}};
}

std::vector<Slot> interleaved(std::span<const std::uint8_t> orders) {
  std::vector<Slot> slots;
  const double length = 1.0 / static_cast<double>(2 * orders.size());
  for (const std::uint8_t order : orders)
    for (const bool second : {false, true}) {
      const double begin = length * static_cast<double>(slots.size());
      slots.push_back({.candidate = second == (order == 0), .begin = begin, .end = begin + length});
    }
  return slots;
}

std::vector<Slot> one_after_the_other(std::size_t processes_an_arm) {
  std::vector<Slot> slots;
  const double length = 1.0 / static_cast<double>(2 * processes_an_arm);
  for (std::size_t i = 0; i < 2 * processes_an_arm; ++i) {
    const double begin = length * static_cast<double>(i);
    slots.push_back({.candidate = i >= processes_an_arm, .begin = begin, .end = begin + length});
  }
  return slots;
}

std::vector<double> run_process(const Scenario& scenario, const Slot& slot, double effect, std::size_t samples,
                                std::mt19937_64& random) {
  const bool heavy_tailed = scenario.tails == Tails::heavy;
  const double process = std::exp(scenario.between * (heavy_tailed ? heavy(random) : normal(random)));
  const double level = kBase * process * (slot.candidate ? 1 + effect : 1);
  std::vector<double> times;
  times.reserve(samples);
  for (std::size_t i = 0; i < samples; ++i) {
    const double moment = slot.begin + (slot.end - slot.begin) * static_cast<double>(i) / static_cast<double>(samples);
    const double outlier = heavy_tailed ? spike(scenario, random) : 0;
    times.push_back(level * (1 + scenario.drift * moment) * std::exp(scenario.within * normal(random) + outlier));
  }
  return times;
}

}  // namespace gonogo::reports
