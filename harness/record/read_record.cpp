#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <set>
#include <tuple>

#include "harness/core/error.hpp"
#include "harness/record/embedded.hpp"
#include "harness/record/run_record.hpp"
#include "harness/record/schema_check.hpp"
#include "harness/record/strict_json.hpp"

namespace gonogo::record {

std::span<const EmbeddedFile> embedded_schema();  // generated

namespace {

void check_kind(const Json& document, const std::string& file) {
  if (!document.is_object())
    throw core::InputError({file, "", fmt::format("is a JSON {}, not a run record", document.type_name()), ""});
  const auto schema = document.find("schema");
  if (schema == document.end() || *schema != "gonogo/run-record")
    throw core::InputError(
        {file, "schema", "the file is no gonogo run record: key schema is not \"gonogo/run-record\"", ""});
  const auto version = document.find("schema_version");
  if (version == document.end() || !version->is_number_integer() || *version != kSchemaVersion)
    throw core::InputError(
        {file, "schema_version",
         fmt::format("wanted {}, got {}", kSchemaVersion, version == document.end() ? "nothing" : version->dump()),
         "read it with the gonogo version that wrote it"});
}

/// Counts (seams, captures) have no timed row; a record of them alone is one too.
bool has_a_metric(const Json& stacks) {
  for (const auto& [name, stack] : stacks.items())
    for (const auto& [metric, value] : stack["metrics"].items())
      if (value["status"] == "ok") return true;
  return false;
}

void check_rows(const Json& rows, const std::string& file) {
  std::set<std::tuple<std::string, std::string, std::int64_t>> keys;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto name = rows[i]["name"].get<std::string>();
    const auto aggregate = rows[i].value("aggregate_name", std::string());
    const auto repetition = aggregate.empty() ? rows[i]["repetition_index"].get<std::int64_t>() : -1;
    if (!keys.emplace(name, aggregate, repetition).second)
      throw core::InputError(
          {file, fmt::format("benchmarks[{}]", i), fmt::format("the row {} is there twice", name), ""});
  }
}

}  // namespace

const Json& schema() {
  static const Json kSchema = parse_strict(embedded_schema().front().text, "record.schema.json");
  return kSchema;
}

Json parse_record(const std::string& text, const std::string& file) {
  Json document = parse_strict(text, file);
  check_kind(document, file);
  if (const auto fault = schema_fault(document, schema()))
    throw core::InputError({file, fault->place, fault->what, ""});
  if (document["benchmarks"].empty() && !has_a_metric(document["stacks"]))
    throw core::InputError({file, "benchmarks", "the record holds no benchmark and no metric with a value",
                            "was the run interrupted at its start?"});
  check_rows(document["benchmarks"], file);
  return document;
}

Json read_record(const std::filesystem::path& path) { return parse_record(read_text(path), path.string()); }

}  // namespace gonogo::record
