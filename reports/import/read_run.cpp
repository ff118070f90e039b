#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>
#include <tuple>
#include <unordered_map>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/import/formats.hpp"

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKnown =
    "wanted a gonogo run record, or JSON of Google Benchmark, nvbench, llama-bench, hyperfine or criterion";

// Lines that are not blank, with their numbers from 1.
std::vector<std::pair<std::size_t, std::string_view>> lines_of(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string_view>> lines;
  std::size_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.emplace_back(number, line);
    at = end + 1;
  }
  return lines;
}

std::optional<Json> object_in(std::string_view line) {
  bool likely = false;  // a whole document of another format on one line is long: do not parse it twice
  for (const std::string_view sign : {"\"avg_ns\"", "\"samples_ns\"", "\"reason\""})
    likely = likely || line.find(sign) != std::string_view::npos;
  if (!likely) return std::nullopt;
  const Json value = Json::parse(line.begin(), line.end(), nullptr, false);
  return value.is_object() ? std::optional(value) : std::nullopt;
}

// One document a line where llama-bench or cargo-criterion wrote it; nothing for any other text.
std::optional<ImportedRun> from_lines(const std::string& text, const std::string& file) {
  const auto lines = lines_of(text);
  const auto first = lines.empty() ? std::nullopt : object_in(lines.front().second);
  if (!first) return std::nullopt;
  const bool llama = is_llama_bench(*first), messages = first->contains("reason") && !first->contains("schema");
  if (!llama && !messages) return std::nullopt;
  std::vector<std::pair<std::size_t, Json>> documents;
  for (const auto& [number, line] : lines) {
    try {
      documents.emplace_back(number, record::parse_strict(line, file));
    } catch (const core::InputError& error) {
      const core::Fault& fault = error.fault();
      throw core::InputError(
          {file, fmt::format("line {}", number), fault.what, "each line must be one whole document"});
    }
  }
  if (messages) return import_criterion_messages(documents, file);
  Json rows = Json::array();
  for (auto& [number, document] : documents) {
    if (!is_llama_bench(document))
      throw core::InputError({file, fmt::format("line {}", number), "is no row of llama-bench", ""});
    rows.push_back(std::move(document));
  }
  return import_llama_bench(Fields(rows, file));
}

ImportedRun from_document(const std::string& text, const std::string& file) {
  const Json document = record::parse_strict(text, file);
  const Fields fields(document, file);
  if (is_gonogo_record(document)) return import_gonogo_record(text, file);
  if (is_nvbench(document)) return import_nvbench(fields);
  if (is_google_benchmark(document)) return import_google_benchmark(fields);
  if (is_hyperfine(document)) return import_hyperfine(fields);
  if (is_criterion(document)) return import_criterion(fields);
  if (is_llama_bench(document)) return import_llama_bench(fields);
  const std::string got = document.is_array() ? fmt::format("an array of {}", document.size()) : document.type_name();
  throw core::InputError({file, "", fmt::format("{}, got {}", kKnown, got), ""});
}

std::vector<ImportedRun> read_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
    if (at->path().extension() == ".json" || at->path().extension() == ".jsonl") files.push_back(at->path());
  if (code) throw core::InputError({folder.string(), "", "cannot be read: " + code.message(), ""});
  if (files.empty()) throw core::InputError({folder.string(), "", "the folder holds no .json file", ""});
  std::sort(files.begin(), files.end());
  std::vector<ImportedRun> runs;
  for (const fs::path& file : files) {
    runs.push_back(read_run(file));
    if (runs.back().format != runs.front().format)
      throw core::InputError({file.string(), "",
                              fmt::format("is {}, but {} is {}", name_of(runs.back().format), files.front().string(),
                                          name_of(runs.front().format)),
                              "keep the runs of one tool in a folder"});
  }
  return runs;
}

// "target/criterion@main" -> folder and baseline; a path that exists as given is taken as given.
std::pair<fs::path, std::string> split_baseline(const std::string& argument) {
  std::error_code ignored;
  const auto at = argument.rfind('@');
  if (fs::exists(argument, ignored) || at == std::string::npos) return {argument, ""};
  return {argument.substr(0, at), argument.substr(at + 1)};
}

}  // namespace

std::string_view name_of(Format format) {
  switch (format) {
    case Format::gonogo_record:
      return "gonogo run record";
    case Format::google_benchmark:
      return "Google Benchmark JSON";
    case Format::nvbench:
      return "nvbench JSON";
    case Format::llama_bench:
      return "llama-bench JSON";
    case Format::hyperfine:
      return "hyperfine JSON";
    case Format::criterion:
      break;
  }
  return "criterion JSON";
}

void add_fact(ImportedRun& run, const char* key, const std::string& value, FactKind kind) {
  if (!value.empty()) run.facts.push_back({key, value, kind});
}

void note_load(ImportedRun& run, const Json& context) {
  const auto load = context.find("load_avg"), cpus = context.find("num_cpus");
  if (load == context.end() || !load->is_array() || load->empty() || !(*load)[0].is_number()) return;
  if (cpus == context.end() || !cpus->is_number() || !((*load)[0].get<double>() > cpus->get<double>())) return;
  run.notes.push_back(fmt::format("started at a load of {:.3g} on {} processors: other work disturbed it",
                                  (*load)[0].get<double>(), cpus->dump()));
}

void set_samples(ImportedRow& row, const std::vector<double>& samples, double factor) {
  row.samples.clear();
  for (const double sample : samples) {
    if (!std::isfinite(sample * factor)) {
      row.status = record::Status::invalid;
      row.reason = fmt::format("the sample {} exceeds what can be compared", sample);
      return;
    }
    row.samples.push_back(sample * factor);
  }
  if (samples.empty() && row.status == record::Status::ok) {
    row.status = record::Status::unmeasured;
    row.reason = "no sample was taken";
  }
}

void check_rows(const ImportedRun& run) {
  if (run.rows.empty()) throw core::InputError({run.file, "", "holds no benchmark", "was the run cut short?"});
  std::unordered_map<std::string, const ImportedRow*> seen;
  for (const ImportedRow& row : run.rows) {
    const std::string key =
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}", row.name, row.metric, row.unit, row.device, row.model, row.levers);
    const auto [found, fresh] = seen.emplace(key, &row);
    if (!fresh)
      throw core::InputError(
          {run.file, row.place,
           fmt::format("the row {} {} is there twice, first at {}", row.name, row.metric, found->second->place),
           "give each a name of its own"});
  }
}

ImportedRun parse_run(const std::string& text, const fs::path& file) {
  const std::string name = file.string();
  auto lined = from_lines(text, name);
  ImportedRun run = lined ? std::move(*lined) : from_document(text, name);
  run.file = name;
  check_rows(run);
  return run;
}

ImportedRun read_run(const fs::path& file) { return parse_run(record::read_text(file), file); }

std::vector<ImportedRun> read_side(const std::string& argument) {
  const auto [path, baseline] = split_baseline(argument);
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    if (!baseline.empty() && !fs::exists(path, ignored)) return {read_run(argument)};  // says what is missing
    std::vector<ImportedRun> runs;
    runs.push_back(read_run(path));
    return runs;
  }
  if (!baseline.empty() || is_criterion_folder(path)) {
    std::vector<ImportedRun> runs;
    runs.push_back(import_criterion_folder(path, baseline.empty() ? "new" : baseline));
    check_rows(runs.back());
    return runs;
  }
  return read_folder(path);
}

}  // namespace gonogo::reports
