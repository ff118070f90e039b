#include "reports/decisions/consolidate.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"
#include "harness/record/sha256.hpp"
#include "reports/decisions/status.hpp"
#include "reports/render/table.hpp"

namespace gonogo::reports {
namespace {

namespace fs = std::filesystem;

const Json& front(const StoredDrop& one) { return one.placed.drop.front; }

// Newest first; of one day, by id.
bool newer(const StoredDrop* a, const StoredDrop* b) {
  const auto key = [](const StoredDrop* one) {
    return std::pair(front(*one).at("date").get<std::string>(), one->placed.id);
  };
  return key(a) > key(b);
}

void expect_consistent(const Store& store) {
  for (const StoredDrop& one : store.drops) {
    const PlacedDrop& placed = one.placed;
    for (const StoredDrop& other : store.drops)
      if (other.placed.id == placed.id && other.placed.text != placed.text)
        throw core::InputError({placed.file, "decision " + placed.id,
                                fmt::format("{} holds another text under the same id", other.path), "rename one"});
    for (const char* key : {"supersedes", "retracts"})
      for (const Json& id : front(one).at(key))
        if (store.find(id.get<std::string>()) == nullptr)
          throw core::InputError(
              {placed.file, "decision " + placed.id, fmt::format("{} {}, which is nowhere", key, id.dump()), ""});
    if (one.place == Place::inbox && !placed.intact)
      throw core::InputError({placed.file, "decision " + placed.id, "its text is not what its data says",
                              "undo the edit; notes go under \"### Notes\""});
  }
}

bool is_past(const Store& store, const StoredDrop& one) {
  const auto after = successors(store, one.placed.id);
  return !after.retracted_by.empty() || !after.superseded_by.empty();
}

std::string state_of(const Store& store, const StoredDrop& one) {
  const auto after = successors(store, one.placed.id);
  if (!after.retracted_by.empty()) return fmt::format("RETRACTED by {}", fmt::join(after.retracted_by, ", "));
  if (!after.superseded_by.empty()) return fmt::format("superseded by {}", fmt::join(after.superseded_by, ", "));
  return "stands";
}

struct Listed {
  const StoredDrop* drop;
  std::string where;
};

std::string index_of(const Store& store, std::vector<Listed> all) {
  std::sort(all.begin(), all.end(), [](const Listed& a, const Listed& b) { return newer(a.drop, b.drop); });
  Table table{.title = "",
              .columns = {{"decision", Align::left},
                          {"verdict", Align::left},
                          {"question", Align::left},
                          {"state", Align::left},
                          {"where", Align::left}},
              .rows = {},
              .notes = {}};
  for (const Listed& one : all)
    table.rows.push_back({one.drop->placed.id, front(*one.drop).at("verdict").get<std::string>(),
                          front(*one.drop).at("question").get<std::string>(), state_of(store, *one.drop), one.where});
  return fmt::format("{}\n{}{}\n", kIndexOpen, markdown_table(table), kIndexEnd);
}

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of("\n"), to = text.find_last_not_of(" \t\r\n");
  return from == std::string::npos ? "" : text.substr(from, to + 1 - from);
}

std::string joined(const std::vector<const StoredDrop*>& drops) {
  std::string text;
  for (const StoredDrop* one : drops) text += "\n" + one->placed.text;
  return text;
}

class Planner {
 public:
  Planner(const Store& store, std::size_t limit) : store_(store), limit_(limit) { sort_out(); }

  ConsolidatePlan plan() {
    std::error_code ignored;
    const auto ledger = store_.folder / "decisions.md";
    plan_.bytes_before = fs::exists(ledger, ignored) ? static_cast<std::size_t>(fs::file_size(ledger)) : 0;
    std::string text = ledger_text();
    while (text.size() > limit_ && !kept_.empty()) {
      move_one();
      text = ledger_text();
    }
    if (!moved_.empty())
      plan_.steps.push_back({store_.folder / archive_path(), "# Archived decisions\n" + joined(moved_)});
    if (!store_.drops.empty() || plan_.bytes_before > 0) plan_.steps.push_back({ledger, text});
    plan_.bytes_after = text.size();
    std::set<std::string> files;
    for (const StoredDrop& one : store_.drops)
      if (one.place == Place::inbox && files.insert(one.path).second)
        plan_.steps.push_back({store_.folder / one.path, "", true});
    for (const StoredDrop* one : moved_) plan_.archived.push_back(one->placed.id);
    return std::move(plan_);
  }

 private:
  // A drop that is in several places, as after a consolidation that was cut short, goes to the last of them.
  void sort_out() {
    std::set<std::string> archived, seen;
    for (const StoredDrop& one : store_.drops)
      if (one.place == Place::archive && archived.insert(one.placed.id).second) old_.push_back(&one);
    for (const StoredDrop& one : store_.drops)
      if (one.place == Place::ledger && !archived.contains(one.placed.id)) {
        seen.insert(one.placed.id);
        kept_.push_back(&one);
      }
    for (const StoredDrop& one : store_.drops)
      if (one.place == Place::inbox && !archived.contains(one.placed.id) && seen.insert(one.placed.id).second) {
        plan_.merged.push_back(one.placed.id);
        kept_.push_back(&one);
      }
    std::sort(kept_.begin(), kept_.end(), newer);
  }

  // What is past goes first, then what is oldest.
  void move_one() {
    auto chosen = std::find_if(kept_.rbegin(), kept_.rend(), [&](const auto* one) { return is_past(store_, *one); });
    if (chosen == kept_.rend()) chosen = kept_.rbegin();
    moved_.push_back(*chosen);
    kept_.erase(std::next(chosen).base());
    std::sort(moved_.begin(), moved_.end(), newer);
  }

  // By content: the same move, tried again, writes the same file.
  [[nodiscard]] std::string archive_path() const {
    const auto hash = record::sha256(joined(moved_));
    return fmt::format("archive/{}-{}.md", front(*moved_.front()).at("date").get<std::string>(), hash.substr(7, 8));
  }

  [[nodiscard]] std::string ledger_text() const {
    std::vector<Listed> all;
    for (const StoredDrop* one : kept_) all.push_back({one, "here"});
    for (const StoredDrop* one : old_) all.push_back({one, one->path});
    if (!moved_.empty())
      for (const StoredDrop* one : moved_) all.push_back({one, archive_path()});
    const auto rest = trimmed(store_.ledger_rest);
    return fmt::format("{}\n\n{}{}", rest.empty() ? "# Decisions" : rest, index_of(store_, all), joined(kept_));
  }

  const Store& store_;
  std::size_t limit_;
  ConsolidatePlan plan_;
  std::vector<const StoredDrop*> kept_, moved_, old_;
};

}  // namespace

ConsolidatePlan plan_consolidation(const Store& store, std::size_t limit) {
  expect_consistent(store);
  return Planner(store, limit).plan();
}

void run_steps(const std::vector<Step>& steps) {
  for (const Step& step : steps) {
    std::error_code code;
    if (!step.remove) {
      fs::create_directories(step.path.parent_path(), code);
      record::write_file(step.path, step.text);
    } else {
      fs::remove(step.path, code);
    }
    if (code) throw core::UsageError(fmt::format("{}: {}", step.path.string(), code.message()));
  }
}

}  // namespace gonogo::reports
