// Tables as text for a terminal and as Markdown.
#pragma once

#include <string>
#include <vector>

#include "reports/render/width.hpp"

namespace gonogo::reports {

struct Column {
  std::string title;
  Align align = Align::right;
};

/// A row may be shorter than the columns: missing cells are empty. A longer one is a LogicError.
struct Table {
  std::string title;  // a line above; empty for none
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;  // lines below
};

/// Aligned, two blanks between columns, no trailing blanks; a line break or control character in a cell becomes a
/// blank.
[[nodiscard]] std::string text_table(const Table& table);
/// Title as a heading of level 3; "|" and what Markdown or HTML would read as markup in a cell is escaped.
[[nodiscard]] std::string markdown_table(const Table& table);

}  // namespace gonogo::reports
