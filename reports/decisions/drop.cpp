#include "reports/decisions/drop.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/render/numbers.hpp"
#include "reports/render/table.hpp"

namespace gonogo::reports {
namespace {

constexpr std::string_view kOpen = "<!-- gonogo:drop ", kEnd = "<!-- gonogo:end ", kTail = " -->";
constexpr std::string_view kNotes = "### Notes";

// One line that Markdown shows as it is.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else {
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string text_of(const Json& json) { return json.is_string() ? json.get<std::string>() : ""; }

// A key a line: compact, and a change shows where it is.
std::string front_text(const Json& front) {
  Json strict = front;
  record::make_strict(strict);
  std::string text = "{\n";
  for (const auto& [key, value] : strict.items())
    text += fmt::format("{}{}: {}", text.size() > 2 ? ",\n" : "", Json(key).dump(), value.dump());
  return text + "\n}\n";
}

Table gates_table(const Json& front) {
  Table table{.title = "",
              .columns = {{"gate", Align::left}, {"version"}, {"outcome", Align::left}, {"why", Align::left}},
              .rows = {},
              .notes = {}};
  for (const Json& gate : front.at("gates"))
    table.rows.push_back(
        {text_of(gate.at("id")), gate.at("version").dump(), text_of(gate.at("outcome")), text_of(gate.at("reason"))});
  return table;
}

Table terms_table(const Json& front) {
  Table table{
      .title = "",
      .columns =
          {{"gate", Align::left}, {"metric", Align::left}, {"value"}, {"asked"}, {"no-go"}, {"outcome", Align::left}},
      .rows = {},
      .notes = {}};
  for (const Json& gate : front.at("gates"))
    for (const char* part : {"proof", "terms"})
      for (const Json& term : gate.at(part)) {
        const TermTexts texts = texts_of(term);
        table.rows.push_back(
            {text_of(gate.at("id")), text_of(term.at("metric")), texts.value,
             term.at("go").is_number() ? fmt::format("{} {}", text_of(term.at("comparison")), texts.go) : "-",
             texts.no_go, text_of(term.at("outcome"))});
      }
  return table;
}

Table evidence_table(const Json& front) {
  Table table{.title = "",
              .columns = {{"file", Align::left},
                          {"sha256", Align::left},
                          {"measured", Align::left},
                          {"device", Align::left},
                          {"model", Align::left},
                          {"commit", Align::left}},
              .rows = {},
              .notes = {}};
  for (const Json& one : front.at("evidence")) {
    const auto hash = text_of(one.at("sha256"));
    table.rows.push_back({text_of(one.at("path")), hash.substr(hash.find(':') + 1, 16) + "…",
                          text_of(one.at("date")).substr(0, 10), text_of(one.at("device")), text_of(one.at("model")),
                          text_of(one.at("git_sha")).substr(0, 8) + (one.at("git_dirty") == true ? " (dirty)" : "")});
  }
  return table;
}

std::string arc_markdown(const Json& arc) {
  if (!arc.is_object()) return "";
  Table table;
  for (const Json& column : arc.at("columns"))
    table.columns.push_back({text_of(column.at(0)), column.at(1) == "left" ? Align::left : Align::right});
  for (const Json& row : arc.at("rows")) table.rows.push_back(row.get<std::vector<std::string>>());
  for (const Json& note : arc.at("notes")) table.notes.push_back(note.get<std::string>());
  return fmt::format("### From BEFORE to now\n\n{}\n", markdown_table(table));
}

std::string list_markdown(const std::string& title, const Json& items) {
  if (items.empty()) return "";
  std::string text = fmt::format("### {}\n\n", title);
  for (const Json& item : items) text += fmt::format("- {}\n", plain(text_of(item)));
  return text + "\n";
}

std::string relations(const Json& front) {
  std::string text;
  for (const auto& [key, word] : {std::pair{"supersedes", "Supersedes"}, std::pair{"retracts", "Retracts"}})
    if (!front.at(key).empty())
      text += fmt::format("**{}** {}: {}\n\n", word, fmt::join(front.at(key).get<std::vector<std::string>>(), ", "),
                          plain(text_of(front.at("why"))));
  return text;
}

std::string commands(const Json& lines) {
  std::string text = "### Reproduce\n\n```sh\n";
  for (const Json& line : lines) text += plain(text_of(line)) + "\n";
  return text + "```\n\n";
}

// The keys of one JSON object and their types: 's' text, 'n' number, 'l' list, 'o' object, '?' any.
using Shape = std::vector<std::pair<const char*, char>>;

std::string misfit(const Json& object, const Shape& shape) {
  if (!object.is_object()) return "is no object";
  for (const auto& [key, type] : shape) {
    const auto found = object.find(key);
    if (found == object.end()) return fmt::format("key \"{}\" is missing", key);
    const bool fits = type == 's'   ? found->is_string()
                      : type == 'n' ? found->is_number()
                      : type == 'l' ? found->is_array()
                      : type == 'o' ? found->is_object()
                                    : true;
    if (!fits) return fmt::format("key \"{}\" is a {}", key, found->type_name());
  }
  return "";
}

const Shape kFront{{"id", 's'},         {"date", 's'},         {"by", 's'},      {"question", 's'},
                   {"verdict", 's'},    {"reason", 's'},       {"stack", 's'},   {"why", 's'},
                   {"exit_code", 'n'},  {"experiment", '?'},   {"arc", '?'},     {"gates", 'l'},
                   {"evidence", 'l'},   {"baselines", 'l'},    {"caveats", 'l'}, {"reproduce", 'l'},
                   {"supersedes", 'l'}, {"would_change", 'l'}, {"retracts", 'l'}};
const Shape kGate{{"id", 's'},    {"version", 'n'}, {"hash", 's'}, {"outcome", 's'},   {"reason", 's'},
                  {"terms", 'l'}, {"proof", 'l'},   {"gate", 'o'}, {"experiment", 's'}};
const Shape kTerm{{"metric", 's'}, {"unit", 's'},  {"comparison", 's'}, {"value", '?'},
                  {"go", '?'},     {"no_go", '?'}, {"outcome", 's'}};
const Shape kEvidence{{"path", 's'},   {"sha256", 's'},       {"date", 's'},     {"device", 's'},
                      {"model", '?'},  {"weights_hash", '?'}, {"git_sha", 's'},  {"git_dirty", '?'},
                      {"levers", 'l'}, {"dispatch", 'o'},     {"decode_ms", 'o'}};
const Shape kBaseline{{"name", 's'}, {"path", 's'}, {"sha256", 's'}};

bool all_texts(const Json& list) {
  return std::all_of(list.begin(), list.end(), [](const Json& one) { return one.is_string(); });
}

// What every drop has, so that a reader of it need not ask.
void expect_decision(const Json& front, const std::string& file, const std::string& id) {
  const auto fail = [&](const std::string& place, const std::string& what) {
    throw core::InputError({file, fmt::format("decision {}{}{}", id, place.empty() ? "" : ", ", place), what, ""});
  };
  const auto check = [&](const Json& object, const Shape& shape, const std::string& place) {
    if (const auto what = misfit(object, shape); !what.empty()) fail(place, what);
  };
  if (!front.is_object() || !front.contains("schema") || front["schema"] != "gonogo/decision")
    fail("", "the JSON part is no decision: schema is not \"gonogo/decision\"");
  if (!front.contains("schema_version") || front["schema_version"] != 1) fail("schema_version", "wanted 1");
  check(front, kFront, "");
  for (const char* key : {"caveats", "reproduce", "would_change", "supersedes", "retracts"})
    if (!all_texts(front[key])) fail(key, "wanted texts");
  if (front["evidence"].empty()) fail("evidence", "a decision without evidence");
  for (const Json& gate : front["gates"]) {
    check(gate, kGate, "gates");
    for (const char* part : {"terms", "proof"})
      for (const Json& term : gate[part]) check(term, kTerm, "gates");
  }
  for (const Json& one : front["evidence"]) {
    check(one, kEvidence, "evidence");
    if (!all_texts(one["levers"])) fail("evidence", "levers: wanted texts");
    for (const auto& [width, lines] : one["dispatch"].items())
      if (!lines.is_array() || !all_texts(lines)) fail("evidence", "dispatch: wanted lists of texts");
    for (const auto& [metric, value] : one["decode_ms"].items())
      if (!value.is_number()) fail("evidence", "decode_ms: wanted numbers");
  }
  for (const Json& one : front["baselines"]) check(one, kBaseline, "baselines");
  if (front["id"] != id) fail("", fmt::format("its id is {}, its marker says {}", front["id"].dump(), id));
}

std::optional<std::string> marked(std::string_view line, std::string_view mark) {
  if (!line.starts_with(mark) || !line.ends_with(kTail) || line.size() < mark.size() + kTail.size())
    return std::nullopt;
  return std::string(line.substr(mark.size(), line.size() - mark.size() - kTail.size()));
}

PlacedDrop parse_one(const std::string& text, const std::string& id, const std::string& file) {
  const auto fail = [&](const std::string& what) { throw core::InputError({file, "decision " + id, what, ""}); };
  PlacedDrop placed{.id = id, .text = text, .file = file};
  const std::string fence = "\n```json\n";
  const auto begin = text.find(fence);
  const auto end = begin == std::string::npos ? begin : text.find("\n```\n", begin + fence.size());
  if (end == std::string::npos) fail("the JSON part is missing");
  placed.drop.front = record::parse_strict(
      std::string_view(text).substr(begin + fence.size(), end + 1 - begin - fence.size()), file + ": decision " + id);
  expect_decision(placed.drop.front, file, id);
  const auto notes = text.rfind(fmt::format("\n{}\n", kNotes));
  const auto tail = text.rfind(fmt::format("{}{}{}", kEnd, id, kTail));
  if (notes != std::string::npos) {
    const auto from = notes + kNotes.size() + 3;  // and the blank line
    if (from < tail) placed.drop.notes = text.substr(from, tail - from);
  }
  try {
    placed.intact = to_markdown(placed.drop) == text;
  } catch (const Json::exception& error) {
    fail(error.what());
  }
  return placed;
}

}  // namespace

TermTexts texts_of(const Json& term) {
  std::vector<double> numbers;
  const char* const keys[] = {"value", "go", "no_go"};
  for (const char* key : keys)
    if (term.at(key).is_number()) numbers.push_back(term.at(key).get<double>());
  const auto texts = distinct(numbers, text_of(term.at("unit")));
  std::size_t next = 0;
  const auto take = [&](const char* key) { return term.at(key).is_number() ? texts.at(next++) : std::string("-"); };
  TermTexts result;
  result.value = take("value");
  result.go = take("go");
  result.no_go = take("no_go");
  return result;
}

std::string to_markdown(const Drop& drop) {
  const Json& front = drop.front;
  const auto id = text_of(front.at("id"));
  std::string text = fmt::format("{}{}{}\n", kOpen, id, kTail);
  text += fmt::format("## {} {}: {}\n\n", text_of(front.at("date")), text_of(front.at("verdict")),
                      plain(text_of(front.at("question"))));
  text += fmt::format("{} (stack {}).{}\n\n", plain(text_of(front.at("reason"))), plain(text_of(front.at("stack"))),
                      front.at("by") == "" ? "" : " By " + plain(text_of(front.at("by"))) + ".");
  if (front.at("experiment").is_string())
    text += fmt::format("To settle it: `{}`\n\n", plain(text_of(front.at("experiment"))));
  text += relations(front);
  text += fmt::format("### Gates\n\n{}\n{}\n", markdown_table(gates_table(front)), markdown_table(terms_table(front)));
  text += arc_markdown(front.at("arc"));
  text += fmt::format("### Evidence\n\n{}\n", markdown_table(evidence_table(front)));
  text += list_markdown("Caveats", front.at("caveats"));
  text += list_markdown("What would change it", front.at("would_change"));
  text += commands(front.at("reproduce"));
  text += fmt::format("<details><summary>For programs</summary>\n\n```json\n{}```\n</details>\n\n", front_text(front));
  text += fmt::format("{}\n\n{}", kNotes, drop.notes);
  if (!text.ends_with('\n')) text += '\n';
  return text + fmt::format("{}{}{}\n", kEnd, id, kTail);
}

ParsedDrops parse_drops(std::string_view text, const std::string& file) {
  ParsedDrops result;
  std::string open, body;
  std::size_t number = 0, opened = 0;
  for (std::size_t at = 0; at < text.size(); ++number) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    const auto whole = std::string(text.substr(at, std::min(end + 1, text.size()) - at));
    at = end + 1;
    if (open.empty()) {
      const auto id = marked(line, kOpen);
      if (!id) {
        result.rest += whole;
        continue;
      }
      if (id->empty() || slug(*id) != *id)
        throw core::InputError({file, fmt::format("line {}", number + 1), fmt::format("'{}' is no id", *id), ""});
      open = *id;
      body = whole;
      opened = number + 1;
      continue;
    }
    body += whole;
    if (marked(line, kEnd) != open) continue;
    if (!body.ends_with('\n')) body += '\n';
    for (const PlacedDrop& other : result.drops)
      if (other.id == open)
        throw core::InputError({file, fmt::format("line {}", opened), "the decision " + open + " is there twice", ""});
    result.drops.push_back(parse_one(body, open, file));
    open.clear();
  }
  if (!open.empty())
    throw core::InputError(
        {file, fmt::format("line {}", opened), "the decision " + open + " has no end", "was the file cut?"});
  return result;
}

std::string slug(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) != 0) {
      result += static_cast<char>(std::tolower(byte));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') result.pop_back();
  return result;
}

}  // namespace gonogo::reports
