// CSV (RFC 4180) and Markdown of a record's rows and metrics.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "harness/record/run_record.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::record {
namespace {

using Cells = std::vector<std::string>;

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted(1, '"');
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  quoted += '"';
  return quoted;
}

std::string csv_line(const Cells& cells) {
  std::string line;
  for (const auto& cell : cells) {
    if (&cell != cells.data()) line += ',';
    line += csv_cell(cell);
  }
  line += "\r\n";
  return line;
}

std::string markdown_line(const Cells& cells) {
  std::string line = "|";
  for (const auto& cell : cells) {
    line += ' ';
    for (const char c : cell) {
      if (c == '|') line += '\\';
      line += c == '\n' || c == '\r' ? ' ' : c;
    }
    line += " |";
  }
  line += '\n';
  return line;
}

std::string markdown_head(const Cells& cells) {
  return markdown_line(cells) + markdown_line(Cells(cells.size(), "---"));
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }
std::string number(const std::vector<double>& values, std::size_t i) { return values.empty() ? "" : number(values[i]); }
std::string number(const std::optional<double>& value) { return value ? fmt::format("{:.4g}", *value) : ""; }

std::string flags_of(const Row& row, std::size_t i) {
  return row.flags.empty() ? "" : fmt::format("{}", fmt::join(row.flags[i], " "));
}

double wall(const Row& row, std::size_t i) {
  return row.gpu_ms[i] + (row.d2h_ms.empty() ? 0 : row.d2h_ms[i]) + (row.host_ms.empty() ? 0 : row.host_ms[i]);
}

// Summaries are for valid samples only.
bool is_summable(const std::vector<double>& values) {
  for (const double value : values)
    if (!std::isfinite(value)) return false;
  return !values.empty();
}

Cells metric_cells(const std::string& stack, const std::string& name, const Metric& metric) {
  const bool ok = metric.status == Status::ok && metric.value && std::isfinite(*metric.value);
  return {stack,
          name,
          ok ? number(*metric.value) : "",
          metric.unit,
          std::string(name_of(metric.better)),
          std::string(name_of(ok || metric.status != Status::ok ? metric.status : Status::invalid)),
          metric.reason};
}

const Cells kMetricHead{"stack", "metric", "value", "unit", "better", "status", "reason"};

}  // namespace

std::string rows_csv(const RunRecord& record) {
  std::string text = csv_line({"name", "metric", "stack", "mode", "status", "reason", "sample", "gpu_ms", "d2h_ms",
                               "host_ms", "wall_ms", "flags"});
  for (const Row& row : record.rows) {
    const Cells head{row.name, row.metric, row.stack, row.mode, std::string(name_of(row.status)), row.reason};
    const auto line = [&](const Cells& tail) {
      Cells cells = head;
      cells.insert(cells.end(), tail.begin(), tail.end());
      text += csv_line(cells);
    };
    if (row.gpu_ms.empty()) line({"", "", "", "", "", ""});
    for (std::size_t i = 0; i < row.gpu_ms.size(); ++i)
      line({fmt::format("{}", i), number(row.gpu_ms[i]), number(row.d2h_ms, i), number(row.host_ms, i),
            number(wall(row, i)), flags_of(row, i)});
  }
  return text;
}

std::string metrics_csv(const RunRecord& record) {
  std::string text = csv_line(kMetricHead);
  for (const StackResult& stack : record.stacks)
    for (const auto& [name, metric] : stack.metrics) text += csv_line(metric_cells(stack.name, name, metric));
  return text;
}

std::string rows_markdown(const RunRecord& record) {
  std::string text = markdown_head({"row", "mode", "n", "median ms", "min", "p10", "p90", "status", "reason"});
  for (const Row& row : record.rows) {
    const auto summary = is_summable(row.gpu_ms) ? stats::summarize(row.gpu_ms) : stats::Summary{};
    text += markdown_line({row.name, row.mode, fmt::format("{}", row.gpu_ms.size()), number(summary.median),
                           number(summary.min), number(summary.p10), number(summary.p90),
                           std::string(name_of(row.status)), row.reason});
  }
  return text;
}

std::string metrics_markdown(const RunRecord& record) {
  std::string text = markdown_head(kMetricHead);
  for (const StackResult& stack : record.stacks)
    for (const auto& [name, metric] : stack.metrics) text += markdown_line(metric_cells(stack.name, name, metric));
  return text;
}

}  // namespace gonogo::record
