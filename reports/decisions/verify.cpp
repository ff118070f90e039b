#include "reports/decisions/verify.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "harness/core/error.hpp"
#include "harness/record/sha256.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/verdict/verdict.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

using core::ExitCode;

std::string short_hash(const std::string& hash) { return hash.substr(0, 19); }

// The gate as the drop keeps it, when that is what its hash says.
std::optional<Gate> kept_gate(const Json& json, std::vector<Check>& checks) {
  const auto id = json.at("id").get<std::string>();
  Check check{.what = "gate " + id, .ok = true, .why = "", .code = ExitCode::usage};
  try {
    Gate gate = parse_gate(json.at("gate").dump(), check.what);
    if (gate.hash == json.at("hash") && gate.id == id) return gate;
    check.why = fmt::format("its text in the decision has hash {}, the decision says {}", short_hash(gate.hash),
                            short_hash(json.at("hash").get<std::string>()));
  } catch (const core::InputError& error) {
    check.why = error.what();
  }
  check.ok = false;
  checks.push_back(std::move(check));
  return std::nullopt;
}

Check gate_now(const Gate& then, std::span<const Gate> gates) {
  Check check{.what = "gate " + then.id, .ok = true, .why = "", .code = ExitCode::usage};
  const auto now = std::find_if(gates.begin(), gates.end(), [&](const Gate& gate) { return gate.id == then.id; });
  if (now == gates.end()) {
    check.ok = false;
    check.why = "there is no such gate any more";
  } else if (now->version == then.version && now->hash != then.hash) {
    check.ok = false;
    check.why = fmt::format("edited after the run: version {} was {}, is {}", then.version, short_hash(then.hash),
                            short_hash(now->hash));
  } else if (now->version < then.version) {
    check.ok = false;
    check.why = fmt::format("judged by version {}, the gate is back at version {}", then.version, now->version);
  } else if (now->version > then.version) {
    check.why = fmt::format("judged by version {}; version {} is there since", then.version, now->version);
  } else {
    check.why = fmt::format("version {}, {}", then.version, short_hash(then.hash));
  }
  return check;
}

Check evidence_now(const Json& one, const std::filesystem::path& folder, std::optional<Json>& record) {
  const auto path = one.at("path").get<std::string>(), wanted = one.at("sha256").get<std::string>();
  Check check{.what = "evidence " + path, .ok = false, .why = "", .code = ExitCode::failed_rows};
  try {
    const std::string text = record::read_text(folder / path);
    const auto got = record::sha256(text);
    check.ok = got == wanted;
    check.why = check.ok ? short_hash(got) : fmt::format("changed: was {}, is {}", short_hash(wanted), short_hash(got));
    if (check.ok) record = record::parse_record(text, path);
  } catch (const core::InputError& error) {
    check.ok = false;
    check.why = error.what();
  }
  return check;
}

Check verdict_now(const Json& front, const Json& record, const std::map<std::string, Json>& baselines,
                  const std::vector<Gate>& gates) {
  Check check{.what = "verdict", .ok = false, .why = "", .code = ExitCode::failed_rows};
  JudgeInputs inputs{.record = record, .stack = front.at("stack").get<std::string>()};
  for (const auto& [name, baseline] : baselines) inputs.baselines[name] = &baseline;
  try {
    const Json now = to_json(judge(inputs, gates));
    check.ok = now.at("verdict") == front.at("verdict") && now.at("reason") == front.at("reason");
    check.why =
        check.ok ? fmt::format("{}, judged again", front.at("verdict").get<std::string>())
                 : fmt::format("the evidence gives {} ({}), the decision says {}", now.at("verdict").get<std::string>(),
                               now.at("reason").get<std::string>(), front.at("verdict").get<std::string>());
  } catch (const core::Error& error) {
    check.why = error.what();
  }
  return check;
}

}  // namespace

std::vector<Check> verify(const PlacedDrop& placed, const std::filesystem::path& folder, std::span<const Gate> gates) {
  const Json& front = placed.drop.front;
  std::vector<Check> checks;
  checks.push_back(
      {"text", placed.intact,
       placed.intact ? "as its data says" : "edited: it is not what its data says (notes go under \"### Notes\")",
       ExitCode::usage});
  std::vector<Gate> kept;
  for (const Json& json : front.at("gates"))
    if (auto gate = kept_gate(json, checks)) {
      checks.push_back(gate_now(*gate, gates));
      kept.push_back(std::move(*gate));
    }
  std::optional<Json> judged;
  for (const Json& one : front.at("evidence")) {
    std::optional<Json> record;
    checks.push_back(evidence_now(one, folder, record));
    judged = std::move(record);  // the last one is the judged one
  }
  std::map<std::string, Json> baselines;
  bool whole = judged.has_value() && kept.size() == front.at("gates").size();
  for (const Json& one : front.at("baselines")) {
    std::optional<Json> record;
    checks.push_back(evidence_now(one, folder, record));
    whole = whole && record.has_value();
    if (record) baselines[one.at("name").get<std::string>()] = std::move(*record);
  }
  if (whole) checks.push_back(verdict_now(front, *judged, baselines, kept));
  return checks;
}

core::ExitCode code_of(std::span<const Check> checks) {
  ExitCode code = ExitCode::ok;
  for (const Check& check : checks)
    if (!check.ok) code = core::stronger(code, check.code);
  return code;
}

}  // namespace gonogo::reports
