// A verdict as data and as text.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "reports/render/table.hpp"
#include "reports/verdict/judge_gate.hpp"
#include "reports/verdict/verdict.hpp"

namespace gonogo::reports {
namespace {

Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json term_json(const TermResult& term) {
  return {{"metric", term.metric},
          {"unit", term.unit},
          {"comparison", symbol(term.comparison)},
          {"value", number_or_null(term.value)},
          {"go", number_or_null(term.go)},
          {"no_go", number_or_null(term.no_go)},
          {"outcome", name_of(term.outcome)},
          {"reason", term.reason}};
}

Json gate_json(const GateResult& result) {
  Json terms = Json::array(), proof = Json::array();
  for (const TermResult& term : result.terms) terms.push_back(term_json(term));
  for (const TermResult& term : result.proof) proof.push_back(term_json(term));
  const Gate& gate = result.gate;
  return {{"id", gate.id},
          {"version", gate.version},
          {"frozen", gate.frozen},
          {"hash", gate.hash},
          {"question", gate.question},
          {"outcome", name_of(result.outcome)},
          {"reason", result.reason},
          {"experiment", gate.experiment.command},
          {"terms", std::move(terms)},
          {"proof", std::move(proof)}};
}

Table gate_table(const Verdict& verdict) {
  Table table{.title = "",
              .columns = {{"gate", Align::left}, {"outcome", Align::left}, {"why", Align::left}},
              .rows = {},
              .notes = {}};
  for (const GateResult& gate : verdict.gates)
    table.rows.push_back({gate.gate.id, std::string(name_of(gate.outcome)), gate.reason});
  return table;
}

std::string explained(const GateResult& result) {
  Table table{.title = fmt::format("{} v{} ({}): {}", result.gate.id, result.gate.version,
                                   result.gate.hash.substr(0, 19), result.gate.question),
              .columns = {{"metric", Align::left}, {"value"}, {"asked"}, {"no-go"}, {"outcome", Align::left}},
              .rows = {},
              .notes = {}};
  std::vector<TermResult> all = result.proof;
  all.insert(all.end(), result.terms.begin(), result.terms.end());
  for (const TermResult& term : all) {
    const auto shown = shown_numbers(term);
    const auto asked = term.go ? fmt::format("{} {}", symbol(term.comparison), shown.go) : shown.go;
    table.rows.push_back({term.metric, shown.value, asked, shown.no_go, std::string(name_of(term.outcome))});
    if (term.outcome != Outcome::pass) table.notes.push_back(fmt::format("  {}", term.reason));
  }
  if (result.terms.empty()) table.notes.push_back(fmt::format("  {}", result.reason));
  return fmt::format("\n{}", text_table(table));
}

}  // namespace

std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::pass:
      return "PASS";
    case Outcome::fail:
      return "FAIL";
    case Outcome::between:
      return "BETWEEN";
    case Outcome::unmeasured:
      return "UNMEASURED";
    case Outcome::inconclusive:
      return "INCONCLUSIVE";
    case Outcome::invalid:
      break;
  }
  return "INVALID";
}

std::string_view name_of(Overall overall) {
  switch (overall) {
    case Overall::go:
      return "GO";
    case Overall::conditional_go:
      return "CONDITIONAL-GO";
    case Overall::gated_go:
      return "GATED-GO";
    case Overall::no_go:
      return "NO-GO";
    case Overall::inconclusive:
      break;
  }
  return "INCONCLUSIVE";
}

Json to_json(const Verdict& verdict) {
  Json gates = Json::array();
  for (const GateResult& gate : verdict.gates) gates.push_back(gate_json(gate));
  return {{"schema", "gonogo/verdict"},
          {"schema_version", 1},
          {"verdict", name_of(verdict.overall)},
          {"exit_code", static_cast<int>(verdict.exit_code)},
          {"stack", verdict.stack},
          {"reason", verdict.reason},
          {"experiment", verdict.experiment.empty() ? Json(nullptr) : Json(verdict.experiment)},
          {"gates", std::move(gates)},
          {"notes", verdict.notes}};
}

std::string to_text(const Verdict& verdict, bool explain) {
  std::string text = fmt::format("{} (stack {}): {}\n", name_of(verdict.overall), verdict.stack, verdict.reason);
  if (!verdict.experiment.empty()) text += fmt::format("To settle it: {}\n", verdict.experiment);
  if (!verdict.gates.empty()) text += fmt::format("\n{}", text_table(gate_table(verdict)));
  if (explain)
    for (const GateResult& gate : verdict.gates) text += explained(gate);
  for (const auto& note : verdict.notes) text += fmt::format("Note: {}\n", note);
  return text;
}

}  // namespace gonogo::reports
