// The results of a run as tables for people: one per axis, made from the record alone.
#pragma once

#include <vector>

#include "harness/record/run_record.hpp"
#include "reports/render/table.hpp"
#include "tools/bench/options.hpp"

namespace gonogo::bench {

/// The tables of an axis; empty when the record has nothing of it.
[[nodiscard]] std::vector<reports::Table> tables_of(Axis axis, const record::RunRecord& record);

}  // namespace gonogo::bench
