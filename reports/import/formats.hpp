// The formats: each one's sign and its reader. Readers fill format, facts, rows, notes and argv; parse_run checks the
// whole.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "reports/import/fields.hpp"
#include "reports/import/imported_run.hpp"

namespace gonogo::reports {

[[nodiscard]] bool is_gonogo_record(const Json& document);
[[nodiscard]] bool is_google_benchmark(const Json& document);
[[nodiscard]] bool is_nvbench(const Json& document);
[[nodiscard]] bool is_llama_bench(const Json& document);  // an array of rows, or one row
[[nodiscard]] bool is_hyperfine(const Json& document);
[[nodiscard]] bool is_criterion(const Json& document);  // sample.json or estimates.json

[[nodiscard]] ImportedRun import_gonogo_record(const std::string& text, const std::string& file);
[[nodiscard]] ImportedRun import_google_benchmark(const Fields& document);
[[nodiscard]] ImportedRun import_nvbench(const Fields& document);
[[nodiscard]] ImportedRun import_llama_bench(const Fields& rows);  // an array
[[nodiscard]] ImportedRun import_hyperfine(const Fields& document);
[[nodiscard]] ImportedRun import_criterion(const Fields& document);
/// cargo-criterion's messages, one document a line, each with its line number.
[[nodiscard]] ImportedRun import_criterion_messages(const std::vector<std::pair<std::size_t, Json>>& lines,
                                                    const std::string& file);
/// Criterion's folder: every benchmark whose folder holds `baseline`.
[[nodiscard]] ImportedRun import_criterion_folder(const std::filesystem::path& folder, const std::string& baseline);
[[nodiscard]] bool is_criterion_folder(const std::filesystem::path& folder);

/// Adds a fact unless its value is empty.
void add_fact(ImportedRun& run, const char* key, const std::string& value, FactKind kind = FactKind::identity);

/// Sets samples multiplied by `factor`; a product beyond a double makes the row invalid.
void set_samples(ImportedRow& row, const std::vector<double>& samples, double factor);

/// Throws core::InputError when the run holds no row, or two rows of one key.
void check_rows(const ImportedRun& run);

}  // namespace gonogo::reports
