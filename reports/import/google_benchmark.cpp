// Google Benchmark: a row a repetition and rows of aggregates; times in time_unit, per iteration.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "reports/import/formats.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

using record::Better;
using record::Status;

constexpr std::array<std::string_view, 25> kOwnKeys{"name",
                                                    "family_index",
                                                    "per_family_instance_index",
                                                    "run_name",
                                                    "run_type",
                                                    "repetitions",
                                                    "threads",
                                                    "iterations",
                                                    "repetition_index",
                                                    "real_time",
                                                    "cpu_time",
                                                    "time_unit",
                                                    "label",
                                                    "skipped",
                                                    "error_occurred",
                                                    "skip_message",
                                                    "error_message",
                                                    "aggregate_name",
                                                    "big_o",
                                                    "rms",
                                                    "aggregate_unit",
                                                    "cpu_coefficient",
                                                    "real_coefficient",
                                                    "gonogo",
                                                    "complexity"};
// Custom context that benchmarks of devices write.
struct ContextFact {
  const char* key;
  const char* as;
  FactKind kind;
};
constexpr std::array<ContextFact, 12> kContextFacts{{{"device", "device", FactKind::identity},
                                                     {"gpu_name", "device", FactKind::identity},
                                                     {"compute_capability", "compute_capability", FactKind::identity},
                                                     {"driver", "driver", FactKind::identity},
                                                     {"driver_version", "driver", FactKind::identity},
                                                     {"clock_policy", "clock_policy", FactKind::identity},
                                                     {"mig", "mig", FactKind::identity},
                                                     {"model", "model", FactKind::identity},
                                                     {"sm_clock_mhz", "sm_clock_mhz", FactKind::reading},
                                                     {"memory_clock_mhz", "memory_clock_mhz", FactKind::reading},
                                                     {"uuid", "uuid", FactKind::environment},
                                                     {"gpu_uuid", "uuid", FactKind::environment}}};

bool is_own(std::string_view key) {
  for (const std::string_view own : kOwnKeys)
    if (key == own) return true;
  return false;
}

double ms_of_unit(const Fields& row) {
  const std::string unit = row.text_or("time_unit", "ns");
  if (unit == "ns") return 1e-6;
  if (unit == "us") return 1e-3;
  if (unit == "ms") return 1;
  if (unit == "s") return 1e3;
  row.fail("time_unit", fmt::format("wanted ns, us, ms or s, got '{}'", unit));
}

// All rows of one benchmark.
struct Family {
  std::size_t first = 0;  // index of its first row
  std::vector<std::size_t> repetitions, aggregates;
};
using Families = std::vector<std::pair<std::string, Family>>;

// Files of versions before run_type tell aggregates by the ending of the name alone.
std::string without_suffix(const std::string& name) {
  for (const std::string_view suffix : {"_mean", "_median", "_stddev", "_cv", "_BigO", "_RMS"})
    if (name.size() > suffix.size() && name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0)
      return name.substr(0, name.size() - suffix.size());
  return "";
}

Families families_of(const Fields& rows) {
  Families families;
  std::map<std::string, std::size_t> at;
  const auto family = [&](const std::string& name, std::size_t row) -> Family& {
    const auto [found, fresh] = at.emplace(name, families.size());
    if (fresh) families.push_back({name, {.first = row, .repetitions = {}, .aggregates = {}}});
    return families[found->second].second;
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Fields row = rows.item(i);
    const std::string name = row.text("name"), run_name = row.text_or("run_name", name);
    const std::string type = row.text_or("run_type", "");
    const std::string plain = type.empty() ? without_suffix(name) : "";
    if (type == "aggregate" || row.has("aggregate_name"))
      family(run_name, i).aggregates.push_back(i);
    else if (!plain.empty() && at.count(plain) != 0)
      family(plain, i).aggregates.push_back(i);
    else if (type.empty() || type == "iteration")
      family(run_name, i).repetitions.push_back(i);
    else
      row.fail("run_type", fmt::format("wanted iteration or aggregate, got '{}'", type));
  }
  return families;
}

// Rows of one name are repetitions only where the file says so.
void check_repetitions(const Fields& rows, const Family& family) {
  std::set<std::int64_t> seen;
  for (const std::size_t i : family.repetitions) {
    const Fields row = rows.item(i);
    const auto index = row.integer_if("repetition_index");
    if (family.repetitions.size() > 1 && !index && row.integer_if("repetitions").value_or(1) < 2 &&
        family.aggregates.empty())
      row.fail("name",
               fmt::format("the row '{}' is there twice, first as benchmarks[{}], and says nothing of repetitions",
                           row.text("name"), family.first));
    if (index && !seen.insert(*index).second)
      row.fail("repetition_index", fmt::format("repetition {} of '{}' is there twice", *index, row.text("name")));
  }
}

class Reader {
 public:
  explicit Reader(const Fields& document) : document_(document), rows_(document.array("benchmarks")) {}

  ImportedRun read() {
    run_.format = Format::google_benchmark;
    if (document_.has("context")) read_context(document_.object("context"));
    for (const auto& [name, family] : families_of(rows_)) {
      check_repetitions(rows_, family);
      read_family(name, family);
    }
    if (left_out_ > 0)
      run_.notes.push_back(fmt::format("{} rows of complexity (BigO, RMS) are not compared", left_out_));
    return std::move(run_);
  }

 private:
  void read_context(const Fields& context) {
    add_fact(run_, "cpus", context.shown("num_cpus"));
    add_fact(run_, "mhz", context.shown("mhz_per_cpu"), FactKind::reading);
    if (context.has("cpu_scaling_enabled"))
      add_fact(run_, "cpu_clock_policy", context.flag("cpu_scaling_enabled") ? "scaling" : "fixed");
    add_fact(run_, "build_type", context.shown("library_build_type"));
    for (const auto& [key, as, kind] : kContextFacts) {
      std::string value = context.shown(key);
      if (std::string_view(as) == "driver") value = value.substr(0, value.find('.'));  // the major version counts
      add_fact(run_, as, value, kind);
    }
    if (context.has("caches")) add_fact(run_, "caches", caches(context.array("caches")));
    add_fact(run_, "host", context.shown("host_name"), FactKind::environment);
    add_fact(run_, "library", context.shown("library_version"), FactKind::environment);
    note_load(run_, context.json());
    const std::string executable = context.shown("executable");
    if (!executable.empty()) run_.argv.push_back(record::path_free(executable));
  }

  static std::string caches(const Fields& list) {
    std::string text;
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Fields cache = list.item(i);
      text += fmt::format("{}L{} {} {}", text.empty() ? "" : ", ", cache.shown("level"), cache.shown("type"),
                          cache.shown("size"));
    }
    return text;
  }

  void read_family(const std::string& name, const Family& family) {
    if (family.repetitions.empty()) return read_aggregates(name, family);
    ImportedRow row{.name = name,
                    .metric = "real_time",
                    .unit = "ms",
                    .reason = {},
                    .samples = {},
                    .single_reason = "one repetition only: run with --benchmark_repetitions=N",
                    .place = rows_.item(family.first).place()};
    std::vector<double> times;
    std::map<std::string, std::vector<double>> counters;
    for (const std::size_t i : family.repetitions) {
      const Fields each = rows_.item(i);
      if (!read_status(each, row)) continue;
      const auto time = each.number_if("real_time");
      if (!time) {
        mark(row, Status::unmeasured, fmt::format("real_time of {} is absent", each.place()));
        continue;
      }
      times.push_back(*time * ms_of_unit(each));
      row.iterations = std::max(1.0, each.number_if("iterations").value_or(1));
      for (const auto& [key, value] : each.json().items())
        if (value.is_number() && !is_own(key)) counters[key].push_back(value.get<double>());
    }
    check_count(row, times.size(), family);
    set_samples(row, times, 1);
    run_.rows.push_back(row);
    for (auto& [key, values] : counters) add_counter(row, key, values);
  }

  // Whether the repetition has a time; a failure speaks for the whole row.
  static bool read_status(const Fields& each, ImportedRow& row) {
    const bool failed = each.flag("error_occurred");
    if (!failed && !each.flag("skipped")) return true;
    const std::string message = each.text_or(failed ? "error_message" : "skip_message", "");
    mark(row, failed ? Status::failed : Status::skipped, message.empty() ? "no reason was given" : message);
    return false;
  }

  static void mark(ImportedRow& row, Status status, const std::string& reason) {
    if (row.status == Status::failed) return;
    row.status = status;
    row.reason = reason;
  }

  void check_count(ImportedRow& row, std::size_t got, const Family& family) const {
    const auto planned = rows_.item(family.first).integer_if("repetitions");
    if (row.status != Status::ok || !planned || *planned <= static_cast<std::int64_t>(got)) return;
    mark(row, Status::failed, fmt::format("{} of {} planned repetitions are there", got, *planned));
  }

  void add_counter(const ImportedRow& of, const std::string& key, const std::vector<double>& values) {
    ImportedRow row = of;
    row.metric = key;
    row.unit = key == "bytes_per_second" ? "B/s" : key == "items_per_second" ? "1/s" : "1";
    row.better = direction_of(key, row.unit);
    if (key == "bytes_per_second" || key == "items_per_second")
      row.role = Role::duplicate;  // the same time, seen the other way
    row.iterations = 1;
    set_samples(row, values, 1);
    run_.rows.push_back(std::move(row));
  }

  // Summaries without the repetitions behind them: a mean (or median) of several, but one value.
  void read_aggregates(const std::string& name, const Family& family) {
    for (const char* wanted : {"median", "mean"})
      for (const std::size_t i : family.aggregates) {
        const Fields each = rows_.item(i);
        if (each.text_or("aggregate_name", "") != wanted || !each.has("real_time")) continue;
        ImportedRow row{.name = name,
                        .metric = "real_time",
                        .unit = "ms",
                        .reason = {},
                        .samples = {},
                        .single_reason = fmt::format("the file holds the {} of {} repetitions but not themselves: run "
                                                     "without --benchmark_report_aggregates_only",
                                                     wanted, each.shown("repetitions")),
                        .place = each.place()};
        if (read_status(each, row)) set_samples(row, {each.number("real_time")}, ms_of_unit(each));
        run_.rows.push_back(std::move(row));
        return;
      }
    left_out_ += family.aggregates.size();
  }

  const Fields& document_;
  Fields rows_;
  ImportedRun run_;
  std::size_t left_out_ = 0;
};

}  // namespace

bool is_google_benchmark(const Json& document) {
  if (!document.is_object()) return false;
  const auto rows = document.find("benchmarks");
  if (rows == document.end() || !rows->is_array() || is_nvbench(document)) return false;
  return document.contains("context") || (!rows->empty() && (*rows)[0].is_object() && (*rows)[0].contains("name"));
}

ImportedRun import_google_benchmark(const Fields& document) { return Reader(document).read(); }

}  // namespace gonogo::reports
