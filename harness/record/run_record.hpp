// The run record: one run as data. Google-Benchmark-shaped, strict JSON, validated against record.schema.json.
// Source: MEASURING.md, "Run record" and "Flat metrics".
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gonogo::record {

using Json = nlohmann::ordered_json;

inline constexpr int kSchemaVersion = 1;

enum class Better { lower, higher, none };
enum class Status { ok, skipped, failed, invalid, unmeasured };

/// A flat metric: what gates and comparisons name. `value` is null exactly when status is not ok, and then `reason` says why.
struct Metric {
  std::optional<double> value;
  std::string unit;   // "ms", "tok/s", "1", "B"
  Better better = Better::none;
  Status status = Status::ok;
  std::string reason;
};

/// One Google-Benchmark row with its samples.
struct Row {
  std::string name;         // "latest/verify/m:8/past:512"
  std::string metric;       // the flat metric it feeds, "verify.gpu_ms/m=8/past=512"
  std::string stack;
  std::string mode;         // "eager", "captured"
  Status status = Status::ok;
  std::string reason;
  std::vector<double> gpu_ms, d2h_ms, host_ms;  // one entry a sample
  std::map<std::string, double> counters;       // extra flat counters for Google's tools (tok_per_s, bytes_per_second)
  Json extra;                                   // anything else under the row's nested key
};

/// Labels in alphabetical order after the name: metric_name("verify.gpu_ms", {{"past","512"},{"m","8"}}) is
/// "verify.gpu_ms/m=8/past=512".
[[nodiscard]] std::string metric_name(const std::string& base, const std::map<std::string, std::string>& labels);

struct StackResult {
  std::string name;
  std::vector<std::string> levers;  // on
  std::map<std::string, Metric> metrics;
};

/// The whole run. Fill it as results come; to_json() is valid at any moment, marked partial until `complete` is set.
struct RunRecord {
  Json environment;  // context, devices, build, argv: from describe_environment()
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

[[nodiscard]] Json to_json(const RunRecord& record);

/// Host, devices, build (git sha, dirty, compiler, flags), argv, library versions, load, date.
[[nodiscard]] Json describe_environment(int argc, const char* const* argv);

/// Writes atomically (temporary file, then rename). Throws UsageError with the path and the system's words.
void write_file(const std::filesystem::path& path, const std::string& text);
/// Fails now, before anything is measured, where write_file would fail later. "-" is always fine.
void check_writable(const std::string& path);

/// Reads a record; throws InputError with file, byte and reason for anything malformed, empty, trailing or of another schema.
[[nodiscard]] Json read_record(const std::filesystem::path& path);

/// record.schema.json, as published.
[[nodiscard]] const Json& schema();

}  // namespace gonogo::record
