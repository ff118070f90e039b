#include "reports/decisions/drop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
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

std::string shown(const Json& value, const std::string& unit) {
  return value.is_number() ? term_value(value.get<double>(), unit) : "-";
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
        const auto unit = text_of(term.at("unit"));
        table.rows.push_back({text_of(gate.at("id")), text_of(term.at("metric")), shown(term.at("value"), unit),
                              term.at("go").is_number()
                                  ? fmt::format("{} {}", text_of(term.at("comparison")), shown(term.at("go"), unit))
                                  : "-",
                              shown(term.at("no_go"), unit), text_of(term.at("outcome"))});
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

// What every drop has, so that a reader of it need not ask.
void expect_decision(const Json& front, const std::string& file, const std::string& id) {
  const auto fail = [&](const std::string& what) { throw core::InputError({file, "decision " + id, what, ""}); };
  if (!front.is_object() || front.value("schema", Json()) != "gonogo/decision")
    fail("the JSON part is no decision: schema is not \"gonogo/decision\"");
  if (front.value("schema_version", Json()) != 1) fail("schema_version: wanted 1");
  for (const char* key : {"id", "date", "by", "question", "verdict", "reason", "stack", "why"})
    if (!front.contains(key) || !front[key].is_string()) fail(fmt::format("key \"{}\" is no text", key));
  for (const char* key :
       {"gates", "evidence", "baselines", "caveats", "reproduce", "would_change", "supersedes", "retracts"})
    if (!front.contains(key) || !front[key].is_array()) fail(fmt::format("key \"{}\" is no list", key));
  for (const char* key : {"experiment", "arc"})
    if (!front.contains(key)) fail(fmt::format("key \"{}\" is missing", key));
  if (front["evidence"].empty()) fail("a decision without evidence");
  if (front["id"] != id) fail(fmt::format("its id is {}, its marker says {}", front["id"].dump(), id));
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

std::string term_value(double value, const std::string& unit) {
  return unit == "1" && value == std::round(value) && std::fabs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                                              : quantity(value, unit);
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
