// The run record: one run as data. Google-Benchmark-shaped, strict JSON, validated against record.schema.json.
// Source: docs/measuring.md, "Run record" and "Flat metrics".
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/record/json.hpp"
#include "harness/record/metric.hpp"

namespace gonogo::record {

inline constexpr int kSchemaVersion = 1;

/// One Google-Benchmark row with its samples. Names are unique within a run.
struct Row {
  std::string name;    // "latest/verify/m:8/past:512"
  std::string metric;  // the flat metric it feeds, "verify.gpu_ms/m=8/past=512"
  std::string stack;
  std::string mode;  // "eager", "captured"
  std::string backend = "cpu";
  Status status = Status::ok;
  std::string reason = {};
  std::vector<double> gpu_ms, d2h_ms, host_ms;  // one entry a sample; d2h and host may be empty: not measured
  std::vector<std::vector<std::string>> flags;  // empty, or per sample its marks: "outlier", "below_timer_floor"...
  std::map<std::string, double> counters;       // extra flat counters for Google's tools (tok_per_s, bytes_per_second)
  Json extra;                                   // anything else under the row's nested key
};

struct StackResult {
  std::string name = {};
  std::vector<std::string> levers = {};  // on
  std::map<std::string, Metric> metrics = {};
};

/// The whole run. Fill it as results come; to_json() is valid at any moment, marked partial until `complete` is set.
struct RunRecord {
  Json environment;  // context, devices, build, argv: from describe_environment(); others may add keys
  Json model;        // name, weights hash, shapes, bytes per token
  Json options;      // the effective configuration, every option
  Json plan;         // per stack: hash, kernels per operator and width
  Json probes;       // structured results: capture, m_scaling, seams, prefill, e2e, parity
  Json verdict;      // gates and overall, when judged
  std::vector<Row> rows;
  std::vector<StackResult> stacks;
  bool complete = false;
  std::string partial_reason;  // why it is not complete: "interrupted", "running"
  std::vector<std::string> warnings;
};

/// Never holds NaN or infinity: such values become null with a status and a reason, or null and a warning inside
/// free-form parts. Throws LogicError for two rows or stacks of one name, and for sample lists of different lengths.
[[nodiscard]] Json to_json(const RunRecord& record);

/// The text of to_json(record): strict JSON, UTF-8.
[[nodiscard]] std::string to_text(const RunRecord& record);

/// One line a sample: name, metric, stack, mode, status, reason, sample, gpu_ms, d2h_ms, host_ms, wall_ms, flags (RFC
/// 4180).
[[nodiscard]] std::string rows_csv(const RunRecord& record);
/// One line a metric: stack, metric, value, unit, better, status, reason.
[[nodiscard]] std::string metrics_csv(const RunRecord& record);
/// Medians with min, p10, p90 of every row; failed rows with their reason.
[[nodiscard]] std::string rows_markdown(const RunRecord& record);
[[nodiscard]] std::string metrics_markdown(const RunRecord& record);

/// Host, devices, build (git sha, dirty, compiler, flags), argv, library versions, load, date. Free of machine paths.
[[nodiscard]] Json describe_environment(int argc, const char* const* argv);

/// An argument or option without the folders of this machine: "/data/m/glm" -> "glm", "--json=/tmp/x.json" ->
/// "--json=x.json". Relative paths and everything else stay.
[[nodiscard]] std::string path_free(const std::string& text);

/// Writes atomically (temporary file, then rename); "-" is stdout. Devices and pipes are written in place.
/// Throws UsageError with the path and the system's words.
void write_file(const std::filesystem::path& path, const std::string& text);
/// Fails now, before anything is measured, where write_file would fail later. "-" is always fine. Missing folders are
/// not made.
void check_writable(const std::string& path);

/// Reads a record; throws InputError with file, byte or key path and reason for anything malformed, empty, trailing, of
/// another schema, without benchmarks, or with a row given twice. A partial record is valid.
[[nodiscard]] Json read_record(const std::filesystem::path& path);
/// The same from text; `file` is for messages.
[[nodiscard]] Json parse_record(const std::string& text, const std::string& file);

/// record.schema.json, as published.
[[nodiscard]] const Json& schema();

}  // namespace gonogo::record
