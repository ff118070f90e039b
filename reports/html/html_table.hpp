// Tables that sort in the browser.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reports/render/width.hpp"

namespace gonogo::reports::html {

struct Cell {
  std::string text;
  std::optional<double> number = {};  // what it sorts by, where the text is a number with a unit
  std::string css = {};               // class of the cell
};
struct Head {
  std::string title;
  Align align = Align::right;
};
struct HtmlTable {
  std::string id;
  std::string caption;  // for screen readers
  std::vector<Head> heads;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;
  bool filter = false;  // a field above it that keeps matching rows
};

/// Every text is escaped. A row may be shorter than the heads.
[[nodiscard]] std::string to_html(const HtmlTable& table);

/// "PASS" and its like as a coloured label with its word: colour is never all that tells.
[[nodiscard]] Cell outcome_cell(const std::string& outcome);

}  // namespace gonogo::reports::html
