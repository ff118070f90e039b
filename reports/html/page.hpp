// A report as one HTML file: nothing is fetched, it opens offline, in light and dark, from 400 pixels up. The verdict
// comes first; charts are SVG with a tooltip on every mark, tables sort by a click on their head.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reports/arc/arc.hpp"
#include "reports/verdict/verdict.hpp"

namespace gonogo::reports {

struct PageRun {
  std::string file;    // as shown
  std::string sha256;  // of the file
  const Json* record = nullptr;
};

struct PageInput {
  std::string title;
  std::vector<PageRun> runs;  // oldest first; the last one is judged
  ArcRequest request;         // gate_id is shown beside each step
  std::vector<Gate> gates;
  std::map<std::string, const Json*> baselines;
};

struct Page {
  std::string html;
  Verdict verdict;
};

/// Throws as judge() and build_arc() do.
[[nodiscard]] Page make_page(const PageInput& input);

}  // namespace gonogo::reports
