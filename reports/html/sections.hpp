// The parts of a report page, each a piece of HTML.
#pragma once

#include <string>
#include <vector>

#include "reports/html/charts.hpp"
#include "reports/html/page.hpp"

namespace gonogo::reports::html {

/// What every section reads.
struct Content {
  const PageInput& input;
  const Verdict& verdict;
  const Arc& arc;
  std::vector<ChartStep> steps;  // every stack of every run
};

[[nodiscard]] std::string verdict_section(const Content& content);
[[nodiscard]] std::string figures_section(const Content& content);
[[nodiscard]] std::string gates_section(const Content& content);
[[nodiscard]] std::string curves_section(const Content& content);
[[nodiscard]] std::string arc_section(const Content& content);
[[nodiscard]] std::string metrics_section(const Content& content);
[[nodiscard]] std::string runs_section(const Content& content);

}  // namespace gonogo::reports::html
