// The results of a run as tables for people: one per axis, made from the record alone.
#pragma once

#include <string>
#include <vector>

#include "harness/record/run_record.hpp"
#include "tools/bench/options.hpp"

namespace gonogo::bench {

struct Table {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> notes;
};

/// The tables of an axis; empty when the record has nothing of it.
[[nodiscard]] std::vector<Table> tables_of(Axis axis, const record::RunRecord& record);

/// Columns aligned, numbers to the right.
[[nodiscard]] std::string to_text(const Table& table);
[[nodiscard]] std::string to_markdown(const Table& table);

}  // namespace gonogo::bench
