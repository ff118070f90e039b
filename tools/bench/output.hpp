// Where results go: tables on stdout (on stderr when stdout is data), files after every axis.
#pragma once

#include <string>

#include "harness/record/run_record.hpp"
#include "tools/bench/options.hpp"

namespace gonogo::bench {

/// Prints the tables of one axis.
void print_axis(Axis axis, const record::RunRecord& record, const Options& options);
/// Prints a text where tables go.
void print_text(const std::string& text, const Options& options);

/// Writes the files asked for, as things stand; data for stdout waits for write_stdout().
void write_files(const record::RunRecord& record, const Options& options);
/// Writes the one output that goes to stdout.
void write_stdout(const record::RunRecord& record, const Options& options);

}  // namespace gonogo::bench
