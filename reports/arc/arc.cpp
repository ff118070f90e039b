#include "reports/arc/arc.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/error.hpp"
#include "reports/arc/labels.hpp"
#include "reports/verdict/verdict.hpp"

namespace gonogo::reports {
namespace {

struct Source {
  const Json* record;
  std::string file, stack;
  [[nodiscard]] const Json& metrics() const { return record->at("stacks").at(stack).at("metrics"); }
};

std::vector<Source> sources_of(std::span<const ArcInput> inputs, const std::string& wanted) {
  std::vector<Source> sources;
  for (const ArcInput& input : inputs)
    for (const auto& [name, unused] : input.record->at("stacks").items())
      if (wanted.empty() || name == wanted) sources.push_back({input.record, input.file, name});
  if (sources.empty())
    throw core::UsageError(wanted.empty() ? "no record holds a stack"
                                          : fmt::format("--stack: no record has a stack '{}'", wanted));
  return sources;
}

std::string text_at(const Json& object, const char* key, const char* otherwise) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

std::string device_of(const Json& record) { return text_at(record.at("devices").at(0), "name", "unknown"); }
std::string model_of(const Json& record) {
  const Json& model = record.at("model");
  return model.is_object() ? text_at(model, "name", "unknown") : "unknown";
}

// Rows of unlike runs side by side would read as progress.
void expect_alike(const std::vector<Source>& sources, const ArcRequest& request) {
  const auto check = [&](const std::string& key, std::string (*of)(const Json&)) {
    std::set<std::string> values;
    for (const Source& source : sources) values.insert(of(*source.record));
    const auto& allowed = request.allowed;
    if (values.size() > 1 && std::find(allowed.begin(), allowed.end(), key) == allowed.end())
      throw core::EnvironmentError(fmt::format("the runs are of different {}s: {} (--allow {} shows them all the same)",
                                               key, fmt::join(values, ", "), key));
  };
  check("device", device_of);
  check("model", model_of);
}

using Labels = std::vector<std::vector<std::string>>;

Labels every(const std::vector<Source>& sources, const std::string& base, const std::string& key,
             const std::string& others) {
  Labels rows;
  for (const Source& source : sources) rows.push_back(label_values(source.metrics(), base, key, others));
  return rows;
}

void append(Labels& rows, const Labels& more) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& value : more[i])
      if (std::find(rows[i].begin(), rows[i].end(), value) == rows[i].end()) rows[i].push_back(value);
}

// Operators whose width-1 share was measured; where none was, those that a record names at all.
std::string chosen_op(const std::vector<Source>& sources, const std::string& asked) {
  Labels rows = every(sources, "dram.share", "op", "m=1");
  if (!asked.empty()) return common_label(rows, asked, "--op");
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::erase_if(
        rows[i], [&](const std::string& op) { return !figure(sources[i].metrics(), "dram.share/m=1/op=" + op).value; });
  for (const auto& row : rows)
    if (std::find(row.begin(), row.end(), "gate_up") != row.end()) return "gate_up";
  const auto op = common_label(rows, "", "--op");
  return op.empty() ? "gate_up" : op;
}

// The gate, asked at the length that is shown where it would ask at each.
std::optional<Gate> gate_at(std::span<const Gate> gates, const std::string& id, const std::string& past) {
  if (id.empty()) return std::nullopt;
  std::vector<std::string> ids;
  for (const Gate& gate : gates) {
    ids.push_back(gate.id);
    if (gate.id != id) continue;
    Gate chosen = gate;
    if (const auto found = chosen.parameters.find("past"); found != chosen.parameters.end() && !past.empty())
      found->second = past;
    return chosen;
  }
  throw core::UsageError(fmt::format("--gate: no gate '{}', there are {}", id, fmt::join(ids, ", ")));
}

ArcRow row_of(const Source& source, const Arc& arc) {
  const Json& metrics = source.metrics();
  const auto commit = text_at(source.record->at("build"), "git_sha", "unknown");
  const bool dirty = source.record->at("build").at("git_dirty") == true;
  ArcRow row{.step = source.stack,
             .commit = commit == "unknown" ? "-" : commit.substr(0, 8) + (dirty ? "+" : ""),
             .device = device_of(*source.record),
             .model = model_of(*source.record),
             .file = source.file};
  const auto at_m = fmt::format("m={}", arc.m), at_past = "past=" + arc.past;
  row.segments = figure(metrics, "capture.segments/" + at_m);
  row.seams = figure(metrics, "capture.seams/" + at_m);
  row.decode_ms = figure(metrics, fmt::format("decode.{}_ms/{}", arc.time_name, at_past));
  row.verify_ms = figure(metrics, fmt::format("verify.{}_ms/{}/{}", arc.time_name, at_m, at_past));
  row.bstar = figure(metrics, fmt::format("bstar.verify/{}/{}", at_m, at_past));
  row.prefill = figure(metrics, "prefill.tok_per_s/l=" + arc.prompt);
  row.dram = figure(metrics, "dram.share/m=1/op=" + arc.op);
  return row;
}

// Walls where every row with a time has one: what B*_verify is made of. Never some rows walls and some device times.
std::string time_of(const std::vector<Source>& sources, const std::string& past) {
  for (const Source& source : sources)
    if (figure(source.metrics(), "decode.gpu_ms/past=" + past).value &&
        !figure(source.metrics(), "decode.wall_ms/past=" + past).value)
      return "gpu";
  return "wall";
}

void note_missing(Arc& arc) {
  const auto told = [&](const std::string& what, Figure ArcRow::*member) {
    for (const ArcRow& row : arc.rows)
      if (const Figure& one = row.*member; !one.value && one.reason != "not in the record")
        arc.notes.push_back(fmt::format("{}: no {}: {}", row.step, what, one.reason));
  };
  told("B*", &ArcRow::bstar);
  told("segments", &ArcRow::segments);
  told("prefill", &ArcRow::prefill);
  std::set<std::string> reasons;
  for (const ArcRow& row : arc.rows)
    if (!row.dram.value && row.dram.reason != "not in the record") reasons.insert(row.dram.reason);
  for (const auto& reason : reasons) arc.notes.push_back("DRAM share: " + reason);
}

}  // namespace

Arc build_arc(std::span<const ArcInput> inputs, const ArcRequest& request, std::span<const Gate> gates) {
  const auto sources = sources_of(inputs, request.stack);
  expect_alike(sources, request);
  Arc arc{.m = request.m, .gate_id = request.gate_id};
  Labels pasts = every(sources, "bstar.verify", "past", fmt::format("m={}", arc.m));
  append(pasts, every(sources, "verify.wall_ms", "past", fmt::format("m={}", arc.m)));
  append(pasts, every(sources, "decode.wall_ms", "past", ""));
  append(pasts, every(sources, "decode.gpu_ms", "past", ""));
  arc.past = common_label(pasts, request.past, "--past");
  const auto gate = gate_at(gates, request.gate_id, arc.past);
  arc.prompt = common_label(every(sources, "prefill.tok_per_s", "l", ""), request.prompt, "--prompt");
  arc.op = chosen_op(sources, request.op);
  arc.time_name = time_of(sources, arc.past);
  for (const Source& source : sources) {
    ArcRow row = row_of(source, arc);
    if (gate)
      row.outcome =
          name_of(judge({.record = *source.record, .stack = source.stack}, std::span(&*gate, 1)).gates.front().outcome);
    arc.rows.push_back(std::move(row));
  }
  if (gate)
    for (const Term& term : gate->terms)
      if (term.metric.starts_with("bstar.verify") && term.go.is_number()) {
        arc.bounds.emplace_back("go", term.go.number);
        if (term.no_go && term.no_go->is_number()) arc.bounds.emplace_back("no-go", term.no_go->number);
      }
  note_missing(arc);
  return arc;
}

}  // namespace gonogo::reports
