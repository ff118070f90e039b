#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <cmath>
#include <set>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"
#include "harness/record/sha256.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/gates/gate.hpp"
#include "reports/gates/metric_path.hpp"

namespace gonogo::reports {
namespace {

using record::Json;

// Reads typed keys of one JSON object, and refuses the keys nobody asked for.
class Reader {
 public:
  Reader(const Json& object, std::string file, std::string place)
      : object_(object), file_(std::move(file)), place_(std::move(place)) {
    if (!object_.is_object()) fail("", fmt::format("wanted an object, got {}", object_.dump()));
  }

  [[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& remedy = "") const {
    throw core::InputError({file_, at(key), what, remedy});
  }
  [[nodiscard]] std::string at(const std::string& key) const {
    return place_.empty() || key.empty() ? place_ + key : fmt::format("{}.{}", place_, key);
  }
  [[nodiscard]] const std::string& file() const { return file_; }

  const Json* find(const std::string& key) {
    known_.push_back(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  const Json& need(const std::string& key) {
    const Json* value = find(key);
    if (value == nullptr) fail("", fmt::format("key \"{}\" is missing", key));
    return *value;
  }
  std::string text(const std::string& key) {
    const Json& value = need(key);
    if (!value.is_string() || value.get_ref<const std::string&>().empty())
      fail(key, "wanted a text, got " + value.dump());
    return value.get<std::string>();
  }
  double number(const std::string& key) {
    const Json& value = need(key);
    if (!value.is_number()) fail(key, "wanted a number, got " + value.dump());
    return value.get<double>();
  }
  double number_or(const std::string& key, double fallback) {
    return object_.contains(key) ? number(key) : (find(key), fallback);
  }
  std::int64_t integer(const std::string& key, std::int64_t least) {
    const Json& value = need(key);
    if (!value.is_number_integer() || value.get<std::int64_t>() < least)
      fail(key, fmt::format("wanted a whole number of at least {}, got {}", least, value.dump()));
    return value.get<std::int64_t>();
  }
  /// Call it after the last key was asked for.
  void refuse_others() const {
    for (const auto& [key, unused] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      const auto match = core::nearest(key, known_);
      fail(key, "the key is unknown",
           match.empty() ? "known: " + fmt::format("{}", fmt::join(known_, ", "))
                         : fmt::format("did you mean {}?", match));
    }
  }

 private:
  const Json& object_;
  std::string file_, place_;
  std::vector<std::string> known_;
};

std::string metric_pattern(Reader& reader) {
  const auto pattern = reader.text("metric");
  if (!parse_metric_path(pattern))
    reader.fail("metric", fmt::format("'{}' is no metric name with its labels in alphabetical order", pattern));
  return pattern;
}

Bound parse_bound(Reader& owner, const std::string& key) {
  const Json& value = owner.need(key);
  Bound bound;
  if (value.is_number()) {
    bound.number = value.get<double>();
    return bound;
  }
  Reader reader(value, owner.file(), owner.at(key));
  bound.metric = metric_pattern(reader);
  if (reader.find("baseline") != nullptr) bound.baseline = reader.text("baseline");
  bound.times = reader.number_or("times", 1);
  bound.plus = reader.number_or("plus", 0);
  reader.refuse_others();
  return bound;
}

Comparison parse_comparison(Reader& reader) {
  const auto text = reader.text("comparison");
  for (const Comparison comparison : {Comparison::at_most, Comparison::at_least, Comparison::equal})
    if (text == symbol(comparison)) return comparison;
  reader.fail("comparison", fmt::format("wanted <=, >= or ==, got '{}'", text));
}

void check_band(const Reader& reader, const Term& term) {
  if (!term.no_go) return;
  if (term.comparison == Comparison::equal) reader.fail("no_go", "an == has no band");
  if (!term.go.is_number() || !term.no_go->is_number()) return;
  const double go = term.go.number, no_go = term.no_go->number;
  const bool ordered = term.comparison == Comparison::at_most ? no_go >= go : no_go <= go;
  if (!ordered)
    reader.fail("no_go", fmt::format("{} is on the wrong side of go {} for {}", no_go, go, symbol(term.comparison)));
}

Term parse_term(const Json& value, const std::string& file, const std::string& place) {
  Reader reader(value, file, place);
  Term term;
  term.metric = metric_pattern(reader);
  term.unit = reader.text("unit");
  term.comparison = parse_comparison(reader);
  term.go = parse_bound(reader, "go");
  if (reader.find("no_go") != nullptr) term.no_go = parse_bound(reader, "no_go");
  reader.refuse_others();
  check_band(reader, term);
  return term;
}

std::vector<Term> parse_terms(Reader& reader, const std::string& key) {
  const Json* list = reader.find(key);
  std::vector<Term> terms;
  if (list == nullptr) return terms;
  if (!list->is_array()) reader.fail(key, "wanted a list, got " + list->dump());
  for (std::size_t i = 0; i < list->size(); ++i)
    terms.push_back(parse_term((*list)[i], reader.file(), fmt::format("{}[{}]", key, i)));
  return terms;
}

std::vector<std::string> text_list(Reader& reader, const std::string& key) {
  const Json* value = reader.find(key);
  std::vector<std::string> texts;
  if (value == nullptr) return texts;
  for (const Json& item : value->is_array() ? *value : Json::array({*value})) {
    if (!item.is_string() || item.get_ref<const std::string&>().empty())
      reader.fail(key, "wanted texts, got " + value->dump());
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

Requirements parse_requirements(Reader& owner) {
  Requirements requirements;
  const Json* value = owner.find("requires");
  if (value == nullptr) return requirements;
  Reader reader(*value, owner.file(), "requires");
  if (reader.find("device") != nullptr) {
    requirements.device = reader.text("device");
    if (requirements.device != "cpu" && requirements.device != "cuda")
      reader.fail("device", "wanted cpu or cuda, got " + requirements.device);
  }
  requirements.models = text_list(reader, "model");
  requirements.levers = text_list(reader, "levers");
  reader.refuse_others();
  return requirements;
}

std::map<std::string, std::string> parse_parameters(Reader& reader) {
  std::map<std::string, std::string> parameters;
  const Json* value = reader.find("parameters");
  if (value == nullptr) return parameters;
  if (!value->is_object()) reader.fail("parameters", "wanted an object, got " + value->dump());
  for (const auto& [name, setting] : value->items()) {
    if (!setting.is_string() && !setting.is_number_integer())
      reader.fail("parameters." + name, "wanted a text or a whole number, got " + setting.dump());
    parameters[name] = setting.is_string() ? setting.get<std::string>() : setting.dump();
    if (parameters[name].empty()) reader.fail("parameters." + name, "the value is empty");
  }
  return parameters;
}

Experiment parse_experiment(Reader& owner) {
  Reader reader(owner.need("experiment"), owner.file(), "experiment");
  Experiment experiment{.command = reader.text("command"), .minutes = reader.number("minutes")};
  reader.refuse_others();
  return experiment;
}

// Every placeholder has its parameter and every parameter is used.
void check_parameters(const Reader& reader, const Gate& gate) {
  std::set<std::string> used;
  const auto use = [&](const std::string& pattern) {
    if (pattern.empty()) return;
    for (const auto& name : placeholders(*parse_metric_path(pattern))) {
      if (!gate.parameters.contains(name))
        reader.fail("parameters", fmt::format("{} of {} has no value", name, pattern));
      used.insert(name);
    }
  };
  for (const auto* terms : {&gate.terms, &gate.proof})
    for (const Term& term : *terms) {
      use(term.metric);
      use(term.go.metric);
      if (term.no_go) use(term.no_go->metric);
    }
  for (const auto& [name, value] : gate.parameters)
    if (!used.contains(name)) reader.fail("parameters", fmt::format("{} is used by no metric", name));
}

bool is_date(const std::string& text) {
  const std::string shape = "dddd-dd-dd";
  if (text.size() != shape.size()) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return false;
  return true;
}

// Compact, with sorted keys: the same for any layout of the same gate.
std::string canonical(const Json& document) { return nlohmann::json(document).dump(); }

}  // namespace

std::string symbol(Comparison comparison) {
  switch (comparison) {
    case Comparison::at_most:
      return "<=";
    case Comparison::at_least:
      return ">=";
    case Comparison::equal:
      break;
  }
  return "==";
}

Gate parse_gate(const std::string& text, const std::string& file) {
  const Json document = record::parse_strict(text, file);
  Reader reader(document, file, "");
  if (reader.text("schema") != "gonogo/gate")
    reader.fail("schema", "the file is no gate: wanted \"gonogo/gate\", got " + document["schema"].dump());
  if (reader.integer("schema_version", 1) != 1)
    reader.fail("schema_version", "wanted 1, got " + document["schema_version"].dump());
  Gate gate;
  gate.id = reader.text("id");
  if (gate.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos)
    reader.fail("id", fmt::format("wanted lower-case letters, digits and dashes, got '{}'", gate.id));
  gate.version = reader.integer("version", 1);
  gate.frozen = reader.text("frozen");
  if (!is_date(gate.frozen)) reader.fail("frozen", fmt::format("wanted a date YYYY-MM-DD, got '{}'", gate.frozen));
  gate.question = reader.text("question");
  gate.parameters = parse_parameters(reader);
  gate.terms = parse_terms(reader, "terms");
  if (gate.terms.empty()) reader.fail("terms", "a gate needs at least one term");
  gate.proof = parse_terms(reader, "proof");
  gate.requires_ = parse_requirements(reader);
  if (const Json* timing = reader.find("timing")) {
    if (!timing->is_boolean()) reader.fail("timing", "wanted true or false, got " + timing->dump());
    gate.timing = timing->get<bool>();
  }
  if (reader.find("min_samples") != nullptr) gate.min_samples = reader.integer("min_samples", 1);
  gate.experiment = parse_experiment(reader);
  reader.refuse_others();
  check_parameters(reader, gate);
  gate.canonical = canonical(document);
  gate.hash = record::sha256(gate.canonical);
  return gate;
}

}  // namespace gonogo::reports
