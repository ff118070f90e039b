// llama-bench: an array of rows (or one a line), each a test with its nanoseconds per repetition.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "reports/import/formats.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

// Not a setting of the test: results, builds, and what is named elsewhere.
constexpr std::array<std::string_view, 20> kNoSetting{
    "build_commit", "build_number",   "cpu_info",  "gpu_info",   "backends",   "model_filename", "model_type",
    "model_size",   "model_n_params", "n_prompt",  "n_gen",      "n_depth",    "test_time",      "avg_ns",
    "stddev_ns",    "avg_ts",         "stddev_ts", "samples_ns", "samples_ts", "n_parallel_done"};

bool is_setting(std::string_view key) {
  for (const std::string_view other : kNoSetting)
    if (key == other) return false;
  return true;
}

// "pp512", "tg128", "pp512+tg128 @ d4096", as llama-bench prints it.
std::string test_of(const Fields& row) {
  const auto prompt = row.integer_if("n_prompt").value_or(0), generated = row.integer_if("n_gen").value_or(0);
  const auto depth = row.integer_if("n_depth").value_or(0);
  std::string name = prompt > 0 ? fmt::format("pp{}", prompt) : "";
  if (generated > 0) name += fmt::format("{}tg{}", name.empty() ? "" : "+", generated);
  if (name.empty()) name = "pp0+tg0";
  return depth > 0 ? fmt::format("{} @ d{}", name, depth) : name;
}

std::string settings_of(const Fields& row) {
  std::string text;
  for (const auto& [key, value] : row.json().items())
    if (is_setting(key)) text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, row.shown(key.c_str()));
  return text;
}

ImportedRow row_of(const Fields& row) {
  ImportedRow result{.name = test_of(row),
                     .metric = "time",
                     .unit = "ms",
                     .model = row.text_or("model_type", ""),
                     .levers = settings_of(row),
                     .reason = {},
                     .samples = {},
                     .single_reason = "one repetition, or a mean only: run llama-bench with -r N -o json",
                     .place = row.place()};
  if (row.has("model_filename")) {
    const std::string file = record::path_free(row.text("model_filename"));
    result.model += fmt::format("{}{}", result.model.empty() ? "" : " ", file.substr(file.rfind('/') + 1));
  }
  if (row.has("samples_ns") && row.array("samples_ns").size() > 0)
    set_samples(result, row.numbers("samples_ns"), 1e-6);
  else
    set_samples(result, {row.number("avg_ns")}, 1e-6);
  return result;
}

bool is_row(const Json& value) {
  return value.is_object() && (value.contains("avg_ns") || value.contains("samples_ns")) &&
         (value.contains("n_prompt") || value.contains("n_gen"));
}

}  // namespace

bool is_llama_bench(const Json& document) {
  return is_row(document) || (document.is_array() && !document.empty() && is_row(document[0]));
}

ImportedRun import_llama_bench(const Fields& rows) {
  ImportedRun run{.format = Format::llama_bench};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Fields row = rows.item(i);
    run.rows.push_back(row_of(row));
    run.rows.back().device = row.text_or("gpu_info", "");
    if (i > 0) continue;
    add_fact(run, "cpu", row.text_or("cpu_info", ""));
    add_fact(run, "device", row.text_or("gpu_info", ""));
    add_fact(run, "backend", row.text_or("backends", ""));
    add_fact(run, "build", row.shown("build_commit"), FactKind::environment);
  }
  run.argv = {"llama-bench"};
  return run;
}

}  // namespace gonogo::reports
