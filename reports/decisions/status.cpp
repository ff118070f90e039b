#include "reports/decisions/status.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/decisions/facts.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;

void add_gate_reasons(const PlacedDrop& placed, const std::vector<Gate>& gates, std::vector<std::string>& reasons) {
  for (const Json& then : placed.drop.front.at("gates"))
    for (const Gate& gate : gates)
      if (then.at("id") == gate.id && then.at("hash") != gate.hash)
        reasons.push_back(fmt::format("gate {}: judged by version {}, now version {}", gate.id,
                                      then.at("version").dump(), gate.version));
}

// The newest of the runs that are of the same device, model and stack; its facts.
std::optional<Json> newest_alike(const Json& then, const std::string& stack, const std::vector<Json>& runs) {
  std::optional<Json> chosen;
  for (const Json& run : runs) {
    if (!run.at("stacks").contains(stack)) continue;
    Json facts = facts_of(run, stack);
    if (!comparable(then, facts)) continue;
    if (!chosen || chosen->at("date").get<std::string>() <= facts.at("date").get<std::string>())
      chosen = std::move(facts);
  }
  return chosen;
}

}  // namespace

std::string_view name_of(State state) {
  switch (state) {
    case State::current:
      return "CURRENT";
    case State::stale:
      return "STALE";
    case State::superseded:
      return "SUPERSEDED";
    case State::retracted:
      break;
  }
  return "RETRACTED";
}

Status status_of(const Store& store, const PlacedDrop& placed, const Now& now) {
  const Json& front = placed.drop.front;
  const Successors after = successors(store, placed.id);
  Status status;
  for (const auto& id : after.retracted_by) status.reasons.push_back("retracted by " + id);
  for (const auto& id : after.superseded_by) status.reasons.push_back("superseded by " + id);
  if (!status.reasons.empty()) {
    status.state = after.retracted_by.empty() ? State::superseded : State::retracted;
    return status;
  }
  const Json& then = front.at("evidence").back();
  add_gate_reasons(placed, now.gates, status.reasons);
  if (const auto facts = newest_alike(then, front.at("stack").get<std::string>(), now.runs)) {
    for (auto& reason : moved(then, *facts, now.tolerance)) status.reasons.push_back(std::move(reason));
  } else if (!now.git_sha.empty() && then.at("git_sha") != now.git_sha) {
    status.reasons.push_back(fmt::format("sha: measured at {}, this is {}; no newer run tells what else moved",
                                         then.at("git_sha").get<std::string>().substr(0, 8), now.git_sha.substr(0, 8)));
  }
  if (!status.reasons.empty()) status.state = State::stale;
  return status;
}

std::vector<Json> newer_evidence(const Store& store, const PlacedDrop& placed) {
  const auto since = placed.drop.front.at("evidence").back().at("date").get<std::string>();
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::directory_iterator entry(store.folder / "evidence", code), end; !code && entry != end; entry.increment(code))
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  std::vector<Json> newer;
  for (const auto& file : files) {
    Json document = record::parse_strict(record::read_text(file), file.string());
    if (!document.is_object() || document.value("schema", Json()) != "gonogo/run-record") continue;
    document = record::read_record(file);
    if (document["context"]["date"].get<std::string>() > since) newer.push_back(std::move(document));
  }
  std::stable_sort(newer.begin(), newer.end(), [](const Json& a, const Json& b) {
    return a["context"]["date"].get<std::string>() < b["context"]["date"].get<std::string>();
  });
  return newer;
}

}  // namespace gonogo::reports
