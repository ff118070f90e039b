#include "reports/decisions/make_drop.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/arc/arc.hpp"
#include "reports/decisions/facts.hpp"
#include "reports/verdict/verdict.hpp"

namespace gonogo::reports {
namespace {

// The question must be older than its answer.
void expect_frozen_before(const Gate& gate, const Json& record) {
  const auto measured = record.at("context").at("date").get<std::string>().substr(0, 10);
  if (gate.frozen > measured)
    throw core::InputError(
        {"gate " + gate.id, "frozen",
         fmt::format("frozen {}, after the run of {}: a gate is frozen before measuring", gate.frozen, measured),
         "measure again"});
}

// A run that was judged as it was measured carries the hashes of its gates.
void expect_unedited(const Gate& gate, const Json& record, std::vector<std::string>& unknown,
                     std::vector<std::string>& caveats) {
  const Json& verdict = record.at("verdict");
  if (!verdict.is_object() || !verdict.contains("gates") || !verdict["gates"].is_array()) return;
  for (const Json& then : verdict["gates"]) {
    if (!then.is_object() || then.value("id", Json()) != gate.id) continue;
    const auto hash = then.value("hash", Json());
    if (!hash.is_string() || !hash.get<std::string>().starts_with("sha256:")) {
      unknown.push_back(gate.id);
    } else if (then.value("version", Json()) == gate.version && hash != gate.hash) {
      throw core::InputError({"gate " + gate.id, "",
                              fmt::format("edited after the run: version {} was {} then and is {} now", gate.version,
                                          hash.get<std::string>().substr(0, 19), gate.hash.substr(0, 19)),
                              "restore it, or give it a new version and measure again"});
    } else if (then.value("version", Json()) != gate.version) {
      caveats.push_back(fmt::format("the run was judged by version {} of gate {}, this is version {}",
                                    then.value("version", Json()).dump(), gate.id, gate.version));
    }
  }
}

void expect_clean(const Evidence& one, bool allowed, std::vector<std::string>& caveats) {
  const Json& dirty = one.record.at("build").at("git_dirty");
  if (dirty == false) return;
  const auto what = fmt::format("{} was built from {}", one.path, dirty == true ? "a dirty tree" : "no known commit");
  if (!allowed) throw core::EnvironmentError(what + ": not fit as evidence (--allow-dirty makes it a caveat)");
  caveats.push_back(what);
}

Json evidence_json(const Evidence& one, const std::string& stack) {
  Json json{{"path", one.path}, {"sha256", one.sha256}};
  // An older run of an arc may know the judged stack by no such name.
  const Json& stacks = one.record.at("stacks");
  json.update(facts_of(one.record, stacks.contains(stack) ? stack : stacks.begin().key()));
  return json;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_of(" \t\n\"'$`\\|&;<>()*?[]#~!{}") == std::string::npos) return word;
  std::string result(1, '\'');
  for (const char c : word) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + '\'';
}

std::vector<std::string> reproduce(const DropRequest& request, const std::vector<Evidence>& runs,
                                   const Verdict& verdict) {
  std::vector<std::string> lines;
  for (const Evidence& run : runs) {
    std::string line;
    for (const Json& word : run.record.at("argv")) {
      if (!line.empty()) line += ' ';
      line += quoted(word.get<std::string>());
    }
    lines.push_back(line);
  }
  lines.push_back(fmt::format("gonogo verdict decisions/{} --stack {} --explain", runs.back().path, verdict.stack));
  lines.push_back("gonogo verify " + request.id);
  return lines;
}

Json gates_json(const Verdict& verdict) {
  Json gates = to_json(verdict).at("gates");
  for (std::size_t i = 0; i < gates.size(); ++i)
    gates[i]["gate"] = record::parse_strict(verdict.gates[i].gate.canonical, "gate");
  return gates;
}

Json arc_json(const std::vector<Evidence>& runs, const std::vector<Gate>& gates) {
  std::vector<ArcInput> inputs;
  for (const Evidence& run : runs) inputs.push_back({run.path, &run.record});
  const Table table = to_table(build_arc(inputs, {}, gates));
  Json columns = Json::array();
  for (const Column& column : table.columns)
    columns.push_back({column.title, column.align == Align::left ? "left" : "right"});
  return {{"columns", std::move(columns)}, {"rows", table.rows}, {"notes", table.notes}};
}

}  // namespace

Drop make_drop(const DropRequest& request, const std::vector<Evidence>& runs,
               const std::map<std::string, Evidence>& baselines, const std::vector<Gate>& gates) {
  GONOGO_EXPECT(!runs.empty(), "a drop needs a run");
  const Evidence& judged = runs.back();
  std::vector<std::string> caveats = request.caveats;
  std::vector<std::string> unknown;
  for (const Gate& gate : gates) {
    expect_frozen_before(gate, judged.record);
    expect_unedited(gate, judged.record, unknown, caveats);
  }
  if (!unknown.empty())
    caveats.push_back(
        fmt::format("the run does not tell the SHA-256 of the gates it was judged by: {}", fmt::join(unknown, ", ")));
  for (const Evidence& run : runs) expect_clean(run, request.allow_dirty, caveats);
  JudgeInputs inputs{.record = judged.record, .stack = request.stack};
  for (const auto& [name, baseline] : baselines) inputs.baselines[name] = &baseline.record;
  const Verdict verdict = judge(inputs, gates);
  for (const auto& note : verdict.notes)
    if (note.find("not fit as evidence") == std::string::npos) caveats.push_back(note);
  for (const Json& warning : judged.record.at("warnings")) caveats.push_back(warning.get<std::string>());

  Json evidence = Json::array(), others = Json::array();
  for (const Evidence& run : runs) evidence.push_back(evidence_json(run, verdict.stack));
  for (const auto& [name, baseline] : baselines)
    others.push_back({{"name", name}, {"path", baseline.path}, {"sha256", baseline.sha256}});
  Json front{{"schema", "gonogo/decision"},
             {"schema_version", 1},
             {"id", request.id},
             {"date", request.date},
             {"by", request.by},
             {"question", request.question},
             {"verdict", name_of(verdict.overall)},
             {"reason", verdict.reason},
             {"exit_code", static_cast<int>(verdict.exit_code)},
             {"experiment", verdict.experiment.empty() ? Json(nullptr) : Json(verdict.experiment)},
             {"stack", verdict.stack},
             {"supersedes", request.supersedes},
             {"retracts", request.retracts},
             {"why", request.why},
             {"caveats", caveats},
             {"reproduce", reproduce(request, runs, verdict)},
             {"evidence", std::move(evidence)},
             {"baselines", std::move(others)},
             {"gates", gates_json(verdict)}};
  front["would_change"] = would_change(front["gates"]);
  front["arc"] = runs.size() > 1 || judged.record.at("stacks").size() > 1 ? arc_json(runs, gates) : Json(nullptr);
  return {.front = std::move(front), .notes = ""};
}

}  // namespace gonogo::reports
