// hyperfine: wall times in seconds of fresh processes.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "reports/import/formats.hpp"

namespace gonogo::reports {
namespace {

// "3 of 10 runs ended with another exit code than 0"; empty when all were fine or the file does not say.
std::string failures_in(const Fields& result) {
  if (!result.has("exit_codes")) return "";
  const Fields codes = result.array("exit_codes");
  std::size_t failed = 0;
  for (const Json& code : codes.json())
    if (!code.is_number_integer() || code.get<std::int64_t>() != 0) ++failed;
  return failed == 0
             ? ""
             : fmt::format("{} of {} runs ended with another exit code than 0 or by a signal", failed, codes.size());
}

std::string name_in(const Fields& result) {
  std::string name = result.text("command");
  if (!result.has("parameters")) return name;
  const Fields parameters = result.object("parameters");
  std::string list;
  for (const auto& [key, value] : parameters.json().items())
    list += fmt::format("{}{}={}", list.empty() ? "" : ", ", key, parameters.shown(key.c_str()));
  return list.empty() ? name : fmt::format("{} [{}]", name, list);
}

}  // namespace

bool is_hyperfine(const Json& document) {
  if (!document.is_object()) return false;
  const auto results = document.find("results");
  return results != document.end() && results->is_array() &&
         (results->empty() || ((*results)[0].is_object() && (*results)[0].contains("command")));
}

ImportedRun import_hyperfine(const Fields& document) {
  ImportedRun run{.format = Format::hyperfine, .source = SampleSource::fresh_processes};
  const Fields results = document.array("results");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Fields result = results.item(i);
    ImportedRow row{.name = name_in(result),
                    .metric = "time",
                    .unit = "ms",
                    .reason = failures_in(result),
                    .samples = {},
                    .single_reason = "the file holds a mean but no times: export with hyperfine --export-json",
                    .place = result.place()};
    if (!row.reason.empty()) row.status = record::Status::failed;
    if (result.has("times"))
      set_samples(row, result.numbers("times"), 1e3);
    else
      set_samples(row, {result.number("mean")}, 1e3);
    run.rows.push_back(std::move(row));
  }
  return run;
}

}  // namespace gonogo::reports
