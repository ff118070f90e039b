// Rows as Google Benchmark writes them, ours under the key "gonogo".
#pragma once

#include <cstddef>

#include "harness/record/run_record.hpp"

namespace gonogo::record {

/// Appends the rows of one Row to the array `benchmarks`: one a sample and the aggregates; or, without a valid timing,
/// one "status" row that Google's readers pass over.
void append_google_rows(Json& benchmarks, const Row& row, std::size_t family);

}  // namespace gonogo::record
