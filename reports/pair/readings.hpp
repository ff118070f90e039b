// What one run of a command said: its metrics, and the facts that two runs must share to be comparable.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/json.hpp"
#include "harness/record/metric.hpp"

namespace gonogo::reports {

using record::Json;

struct Reading {
  std::optional<double> value;  // null exactly when status is not "ok"
  std::string unit = {};
  record::Better better = record::Better::none;
  std::string status = "ok";
  std::string reason = {};
  bool headline = false;  // compared when no metric is named
};

struct Readings {
  std::map<std::string, Reading> metrics;
  std::map<std::string, std::string> facts;  // "host", "device", "model": equal in runs that may be compared
  std::string partial_reason;                // empty for a complete run
  bool contract = false;                     // a gonogo record: its program's exit code is a verdict
  std::vector<std::string> warnings;
};

/// Reads a gonogo run record (the metrics of `stack`: empty for "latest" where there is one, else the only stack) or
/// Google Benchmark's JSON (a metric per benchmark, the median real time of its repetitions). Throws core::InputError
/// with `source` and the place for anything else, and core::UsageError for a stack that is not there.
[[nodiscard]] Readings read_output(std::string_view text, const std::string& source, const std::string& stack = "");

/// A pattern is a name in which "*" stands for any text.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view name);
/// Splits "a,b" at commas outside <>, () and [].
[[nodiscard]] std::vector<std::string> split_names(std::string_view list);
/// The names that the patterns select, headlines when there are no patterns; metrics without a
/// direction are left out, and what is not measured unless it is named in full.
[[nodiscard]] std::vector<std::string> selected(const Readings& readings, const std::vector<std::string>& patterns);

}  // namespace gonogo::reports
