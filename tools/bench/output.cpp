#include "tools/bench/output.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "tools/bench/tables.hpp"

namespace gonogo::bench {
namespace {

std::string markdown(const record::RunRecord& record, const Options& options) {
  const std::string model = record.model.is_object() ? record.model.at("label").get<std::string>() : options.model;
  std::string text = fmt::format("# {}\n\n", model);
  if (!record.complete) text += fmt::format("**Partial record: {}.**\n\n", record.partial_reason);
  for (const Axis axis : options.axes)
    for (const auto& table : tables_of(axis, record)) text += reports::markdown_table(table) + "\n";
  if (record.verdict.is_object())
    text +=
        fmt::format("## Verdict: {}\n\n{}\n", record.verdict.value("overall", "-"), record.verdict.value("reason", ""));
  for (const auto& warning : record.warnings) text += "- warning: " + warning + "\n";
  return text;
}

// The text of one kind of output, made only when it is asked for.
template <class Visit>
void visit_outputs(const record::RunRecord& record, const Options& options, Visit&& visit) {
  const auto& common = options.common;
  if (common.json) visit(*common.json, [&] { return record::to_text(record); });
  if (common.csv) visit(*common.csv, [&] { return record::rows_csv(record); });
  if (common.md) visit(*common.md, [&] { return markdown(record, options); });
}

}  // namespace

void print_text(const std::string& text, const Options& options) {
  std::FILE* out = options.common.stdout_is_taken() ? stderr : stdout;
  fmt::print(out, "{}", text);
  std::fflush(out);
}

void print_axis(Axis axis, const record::RunRecord& record, const Options& options) {
  for (const auto& table : tables_of(axis, record)) print_text(reports::text_table(table) + "\n", options);
}

void write_files(const record::RunRecord& record, const Options& options) {
  visit_outputs(record, options, [](const std::string& path, auto&& text) {
    if (path != "-") record::write_file(path, text());
  });
}

void write_stdout(const record::RunRecord& record, const Options& options) {
  visit_outputs(record, options, [](const std::string& path, auto&& text) {
    if (path == "-") record::write_file(path, text());
  });
}

}  // namespace gonogo::bench
