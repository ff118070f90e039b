// One measured run as comparisons see it, whichever tool wrote it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/json.hpp"
#include "harness/record/metric.hpp"

namespace gonogo::reports {

using record::Json;

enum class Format { gonogo_record, google_benchmark, nvbench, llama_bench, hyperfine, criterion };
/// "gonogo run record", "Google Benchmark JSON"...
[[nodiscard]] std::string_view name_of(Format format);

/// What stands behind one sample. Samples of one process share its memory layout, its clocks and its luck: they tell
/// nothing about the next process.
enum class SampleSource { one_process, fresh_processes };

enum class Role {
  primary,
  derived,    // computed from other rows of its run: decided only from several runs
  duplicate,  // the same samples seen another way ("bytes_per_second" beside a time): never decided
};

/// One metric of one benchmark. Matched by all of name, metric, unit, device, model and levers.
struct ImportedRow {
  std::string name;    // the benchmark, with all its axis values; for a gonogo record the stack
  std::string metric;  // "real_time", "verify.gpu_ms/m=8/past=512"
  std::string unit;    // "ms" for every time, whatever the file used
  record::Better better = record::Better::lower;
  std::string device, model, levers;  // where rows of one file differ in them
  record::Status status = record::Status::ok;
  std::string reason;           // when not ok
  std::vector<double> samples;  // in the order they were taken; one value where the file holds a summary only
  double iterations = 1;        // behind each sample, so that the timer's step is shared by as many
  bool exact = false;           // a count that does not vary from run to run: any change is a change
  Role role = Role::primary;
  std::string single_reason;  // why there is one value only and how to get more
  std::string place;          // key path in the file
};

enum class FactKind {
  identity,     // runs that differ in it are not comparable unless that is allowed by name
  reading,      // a number that drifts: 10 % either way are no difference, more is one
  environment,  // shown where it differs, refused never
};
struct Fact {
  std::string key;  // "device", "model", "clock_policy"
  std::string value;
  FactKind kind = FactKind::identity;
};

struct ImportedRun {
  std::string file;
  Format format = Format::google_benchmark;
  SampleSource source = SampleSource::one_process;
  std::vector<Fact> facts;
  std::vector<ImportedRow> rows;
  std::vector<std::string> notes;  // what a reader must know: a partial record, metrics that were left out
  std::vector<std::string> argv;   // how it was run; empty where the format does not say
};

/// Reads one file, its format found by content. Throws core::InputError with file, place and reason for anything
/// unreadable, malformed, unknown, without a row, or with two rows of one key.
[[nodiscard]] ImportedRun read_run(const std::filesystem::path& file);
/// The same from text; `file` is for messages and for finding side files.
[[nodiscard]] ImportedRun parse_run(const std::string& text, const std::filesystem::path& file);

/// One side of a comparison: a file; a folder of files, each a run of a process of its own, in the order of their
/// names; or criterion's folder ("target/criterion", or "target/criterion@NAME" for a saved baseline).
[[nodiscard]] std::vector<ImportedRun> read_side(const std::string& argument);

/// Better when it falls or rises, as its name or unit says; none when they do not.
[[nodiscard]] record::Better direction_of(std::string_view metric, std::string_view unit);

}  // namespace gonogo::reports
