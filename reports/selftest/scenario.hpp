// Sessions with a known truth: times of two arms under noise within and between processes, drift and heavy tails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace gonogo::reports {

enum class Tails { normal, heavy };

/// Relative sizes. A process draws one level for its whole life (memory layout, clocks, neighbours), each sample its
/// own deviation; the machine grows slower by `drift` from the first sample of the session to the last.
struct Scenario {
  std::string name;
  double within = 0.005;   // standard deviation of a sample
  double between = 0.005;  // of a process
  double drift = 0;
  Tails tails = Tails::normal;  // heavy: processes by Student's t with 3 degrees of freedom, every 20th sample a spike
};

/// The scenarios every policy is held against.
[[nodiscard]] std::vector<Scenario> shipped_scenarios();

/// When each process runs: which arm, and from where to where of the session (0 to 1).
struct Slot {
  bool candidate = false;
  double begin = 0, end = 1;
};
/// Alternating blocks; `orders` as orders_of().
[[nodiscard]] std::vector<Slot> interleaved(std::span<const std::uint8_t> orders);
/// All processes of the base, then all of the candidate.
[[nodiscard]] std::vector<Slot> one_after_the_other(std::size_t processes_an_arm);

/// The samples of one process; the candidate's are longer by `effect`. The same on every machine but for the last bit.
[[nodiscard]] std::vector<double> run_process(const Scenario& scenario, const Slot& slot, double effect,
                                              std::size_t samples, std::mt19937_64& random);

}  // namespace gonogo::reports
