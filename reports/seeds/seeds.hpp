// The published tables of the two pull requests this project grew out of, as run records, gates and verdicts.
// The figures and their sources stand in the JSON files beside this one; they are compiled into the program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/record/json.hpp"
#include "reports/gates/gate.hpp"

namespace gonogo::reports {

using record::Json;

/// One column or row of their tables: an engine as it stood at one commit, on one model.
struct SeedConfiguration {
  std::string id, stack, commit, date, engine, model, source, note;
  std::map<std::string, double> metrics;      // by flat metric name
  std::map<std::string, std::string> absent;  // metric name -> why it has no value
  std::map<std::string, int> seams;           // operator -> eager steps of it at width 8
};

/// What they decided, and what the rules of this project make of the same figures.
struct SeedVerdict {
  std::string id, published, configuration;
  std::map<std::string, std::string> gates;  // gate id -> outcome
  std::string by_the_rules;                  // overall
  std::string note;                          // where the two differ, why
};

struct SeedRegression {
  std::string scenario;
  double base_ns = 0, head_ns = 0;
  double printed_change_percent = 0;
  std::string printed_status;  // "red", "warning", "green", "check"
};
struct SeedRegressionTable {
  std::string id, source, statistic;
  std::vector<SeedRegression> rows;
};

struct Seeds {
  std::vector<std::string> about;
  std::map<std::string, std::string> sources;
  std::vector<SeedConfiguration> configurations;
  std::vector<SeedVerdict> verdicts;
  std::vector<SeedRegressionTable> regressions;
};

/// Throws core::InputError for data that contradicts itself: a verdict on a configuration that is not there...
[[nodiscard]] Seeds seeds();
/// Their gates (a), (b) and (c) in this project's form.
[[nodiscard]] std::vector<Gate> seed_gates();

/// A valid run record of an H200 that says in its warnings that it is imported and whence.
[[nodiscard]] Json seed_record(const Seeds& seeds, const SeedConfiguration& configuration);

/// File name -> content of everything `gonogo import seeds` writes: a record per configuration, the gates under
/// "gates/", and both sides of each regression table as Google Benchmark JSON.
[[nodiscard]] std::map<std::string, std::string> seed_files();

}  // namespace gonogo::reports
