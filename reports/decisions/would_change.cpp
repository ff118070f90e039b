#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "reports/decisions/make_drop.hpp"

namespace gonogo::reports {
namespace {

// How far a term is from turning, in relative terms; infinite where it has no figures.
double margin(const Json& term) {
  if (!term.at("value").is_number() || !term.at("go").is_number()) return std::numeric_limits<double>::infinity();
  const double value = term.at("value").get<double>(), go = term.at("go").get<double>();
  return std::fabs(value - go) / std::max(std::fabs(go), 1e-12);
}

// The term of the gate's own outcome that is nearest to its bound.
const Json* decisive(const Json& gate) {
  const Json* chosen = nullptr;
  for (const char* part : {"terms", "proof"})
    for (const Json& term : gate.at(part))
      if (term.at("outcome") == gate.at("outcome") && (chosen == nullptr || margin(term) < margin(*chosen)))
        chosen = &term;
  return chosen;
}

std::string line_of(const Json& gate) {
  const auto id = gate.at("id").get<std::string>(), outcome = gate.at("outcome").get<std::string>();
  const Json* term = decisive(gate);
  if (term == nullptr || !std::isfinite(margin(*term)))
    return fmt::format("{} is {}: a figure would settle it ({})", id, outcome,
                       gate.at("experiment").get<std::string>());
  const auto metric = term->at("metric").get<std::string>(), comparison = term->at("comparison").get<std::string>();
  const TermTexts shown = texts_of(*term);
  if (outcome == "PASS")
    return fmt::format("{} passes while {} {} {}; it is {}", id, metric, comparison, shown.go, shown.value);
  if (outcome == "BETWEEN")
    return fmt::format("{} passes at {} {} {}, fails at {}; it is {}", id, metric, comparison, shown.go, shown.no_go,
                       shown.value);
  return fmt::format("{} needs {} {} {}; it is {}", id, metric, comparison, shown.go, shown.value);
}

}  // namespace

std::vector<std::string> would_change(const Json& gates) {
  std::vector<std::string> lines;
  for (const Json& gate : gates) lines.push_back(line_of(gate));
  return lines;
}

}  // namespace gonogo::reports
