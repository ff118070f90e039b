// Many tests at once: p-values adjusted so that they are compared with the level of the whole family.
#pragma once

#include <span>
#include <vector>

namespace gonogo::stats {

/// Holm's step-down adjustment, in the order given: comparing with alpha keeps the chance of any false alarm in the
/// family within alpha, whatever the dependence. Throws LogicError on a p outside [0, 1].
[[nodiscard]] std::vector<double> holm(std::span<const double> p_values);

/// Benjamini and Hochberg's step-up adjustment: comparing with q keeps the expected share of false alarms among all
/// alarms within q (independent or positively dependent tests).
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace gonogo::stats
