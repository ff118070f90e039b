// criterion: per benchmark and baseline a folder with benchmark.json (who), sample.json (times) and estimates.json;
// or cargo-criterion's messages. Benchmarks are known by the id written inside, never by the name of their folder.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/import/formats.hpp"

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 8;

ImportedRow new_row(std::string name, std::string place) {
  return {.name = std::move(name),
          .metric = "time",
          .unit = "ms",
          .reason = {},
          .samples = {},
          .single_reason = "the file holds estimates but no sample: compare sample.json or criterion's folder",
          .place = std::move(place)};
}

std::optional<double> ms_of(const std::string& unit) {
  if (unit == "ns") return 1e-6;
  if (unit == "us" || unit == "\xC2\xB5s") return 1e-3;
  if (unit == "ms") return 1;
  if (unit == "s") return 1e3;
  return std::nullopt;
}

// Each sample is the time of many iterations.
void set_from_lists(ImportedRow& row, const Fields& fields, const char* iterations_key, const char* times_key,
                    double factor) {
  const auto iterations = fields.numbers(iterations_key);
  auto times = fields.numbers(times_key);
  if (iterations.size() != times.size())
    fields.fail(times_key, fmt::format("{} times for {} iteration counts", times.size(), iterations.size()));
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!(iterations[i] >= 1))
      fields.fail(fmt::format("{}[{}]", iterations_key, i), fmt::format("wanted at least 1, got {}", iterations[i]));
    times[i] /= iterations[i];
  }
  if (!iterations.empty()) row.iterations = *std::min_element(iterations.begin(), iterations.end());
  set_samples(row, times, factor);
}

void set_from(ImportedRow& row, const Fields& document) {
  if (document.has("times")) return set_from_lists(row, document, "iters", "times", 1e-6);
  const char* best = document.has("median") ? "median" : "mean";
  set_samples(row, {document.object(best).number("point_estimate")}, 1e-6);
}

// The id beside a sample: in the same folder.
std::string id_beside(const fs::path& file) {
  const fs::path beside = file.parent_path() / "benchmark.json";
  std::error_code ignored;
  if (!fs::exists(beside, ignored)) return "";
  const std::string name = beside.string();
  const Json document = record::parse_strict(record::read_text(beside), name);
  return Fields(document, name).text("full_id");
}

std::vector<fs::path> sorted_folders(const fs::path& folder) {
  std::error_code code;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    std::error_code ignored;
    if (at->is_directory(ignored) && !at->is_symlink(ignored)) found.push_back(at->path());
  }
  if (code) throw core::InputError({folder.string(), "", "cannot be read: " + code.message(), ""});
  std::sort(found.begin(), found.end());
  return found;
}

// Folders named `baseline` that hold a benchmark, depth first.
void collect(const fs::path& folder, const std::string& baseline, int depth, std::vector<fs::path>& found) {
  if (depth > kDeepestFolder) return;
  for (const fs::path& child : sorted_folders(folder)) {
    std::error_code ignored;
    if (fs::exists(child / "benchmark.json", ignored)) {
      if (baseline.empty() || child.filename() == baseline) found.push_back(child);
    } else {
      collect(child, baseline, depth + 1, found);
    }
  }
}

}  // namespace

bool is_criterion(const Json& document) {
  if (!document.is_object()) return false;
  if (document.contains("iters") && document.contains("times")) return true;
  const auto mean = document.find("mean");
  return mean != document.end() && mean->is_object() && mean->contains("point_estimate");
}

ImportedRun import_criterion(const Fields& document) {
  ImportedRun run{.format = Format::criterion};
  std::string id = id_beside(document.file());
  if (id.empty()) {
    id = "benchmark";
    run.notes.push_back("no benchmark.json beside the file says which benchmark this is");
  }
  run.rows.push_back(new_row(std::move(id), ""));
  set_from(run.rows.back(), document);
  return run;
}

ImportedRun import_criterion_messages(const std::vector<std::pair<std::size_t, Json>>& lines, const std::string& file) {
  ImportedRun run{.format = Format::criterion};
  for (const auto& [number, line] : lines) {
    const std::string named = fmt::format("{}: line {}", file, number);
    const Fields fields(line, named);
    if (fields.text_or("reason", "") != "benchmark-complete") continue;
    const auto factor = ms_of(fields.text_or("unit", "ns"));
    if (!factor) fields.fail("unit", fmt::format("wanted a unit of time, got '{}'", fields.text("unit")));
    run.rows.push_back(new_row(fields.text("id"), fmt::format("line {}", number)));
    set_from_lists(run.rows.back(), fields, "iteration_count", "measured_values", *factor);
  }
  return run;
}

bool is_criterion_folder(const fs::path& folder) {
  std::vector<fs::path> found;
  collect(folder, "", 0, found);
  return !found.empty();
}

ImportedRun import_criterion_folder(const fs::path& folder, const std::string& baseline) {
  ImportedRun run{.format = Format::criterion};
  run.file = folder.string();
  std::vector<fs::path> found;
  collect(folder, baseline, 0, found);
  for (const fs::path& each : found) {
    std::error_code ignored;
    const fs::path sample = each / "sample.json";
    const fs::path file = fs::exists(sample, ignored) ? sample : each / "estimates.json";
    const std::string name = file.string();
    const Json document = record::parse_strict(record::read_text(file), name);
    if (!is_criterion(document))
      throw core::InputError({name, "", "holds no sample and no estimates of criterion", ""});
    const std::string id = id_beside(file);
    run.rows.push_back(new_row(id, fs::relative(file, folder, ignored).string()));
    set_from(run.rows.back(), Fields(document, name));
  }
  if (found.empty())
    throw core::InputError({folder.string(), "", fmt::format("no benchmark has a baseline '{}'", baseline),
                            "name one as FOLDER@BASELINE"});
  return run;
}

}  // namespace gonogo::reports
