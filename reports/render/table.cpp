#include "reports/render/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.hpp"

namespace gonogo::reports {
namespace {

using Cells = std::vector<std::string>;

std::string one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return text;
}

Cells full_row(const Table& table, const Cells& row) {
  GONOGO_EXPECT(row.size() <= table.columns.size(),
                fmt::format("a row of {} cells in {} columns", row.size(), table.columns.size()));
  Cells cells(table.columns.size());
  for (std::size_t i = 0; i < row.size(); ++i) cells[i] = one_line(row[i]);
  return cells;
}

Cells titles(const Table& table) {
  Cells cells;
  for (const Column& column : table.columns) cells.push_back(column.title);
  return cells;
}

std::string text_line(const Table& table, const Cells& cells, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += "  ";
    line += padded(cells[i], widths[i], table.columns[i].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  line += '\n';
  return line;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else {
      if (c == '|' || c == '\\' || c == '`' || c == '*') result += '\\';
      result += c;
    }
  }
  return result;
}

std::string markdown_line(const Cells& cells) {
  std::string line(1, '|');
  for (const auto& cell : cells) line += fmt::format(" {} |", escaped(cell));
  line += '\n';
  return line;
}

}  // namespace

std::string text_table(const Table& table) {
  std::vector<Cells> rows{full_row(table, titles(table))};
  for (const Cells& row : table.rows) rows.push_back(full_row(table, row));
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const Cells& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  std::string text = table.title.empty() ? "" : table.title + "\n";
  text += text_line(table, rows[0], widths);
  Cells rule;
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  text += text_line(table, rule, widths);
  for (std::size_t i = 1; i < rows.size(); ++i) text += text_line(table, rows[i], widths);
  for (const auto& note : table.notes) text += fmt::format("{}\n", note);
  return text;
}

std::string markdown_table(const Table& table) {
  std::string text = table.title.empty() ? "" : fmt::format("### {}\n\n", table.title);
  text += markdown_line(full_row(table, titles(table)));
  text += '|';
  for (const Column& column : table.columns) text += column.align == Align::right ? " ---: |" : " :--- |";
  text += '\n';
  for (const Cells& row : table.rows) text += markdown_line(full_row(table, row));
  for (const auto& note : table.notes) text += fmt::format("\n{}\n", escaped(note));
  return text;
}

}  // namespace gonogo::reports
