#include "reports/decisions/consolidate.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/reports/decisions_fixture.hpp"

using namespace gonogo;
using reports::Place;
using tests::DecisionsFolder;
namespace fs = std::filesystem;

namespace {

reports::ConsolidatePlan consolidate(const DecisionsFolder& folder, std::size_t limit = reports::kLedgerLimit) {
  auto plan = reports::plan_consolidation(reports::read_store(folder.path), limit);
  reports::run_steps(plan.steps);
  return plan;
}

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".md")
      files[entry.path().lexically_relative(folder).generic_string()] = record::read_text(entry.path());
  return files;
}

// Every decision's text, wherever it lies.
std::map<std::string, std::string> texts(const DecisionsFolder& folder) {
  std::map<std::string, std::string> all;
  for (const auto& one : reports::read_store(folder.path).drops) all[one.placed.id] = one.placed.text;
  return all;
}

}  // namespace

TEST_CASE("consolidating merges the inbox into the ledger, newest first, with an index", "[decisions]") {
  const DecisionsFolder folder("merge");
  folder.write("inbox/README.md", "stays");
  folder.drop("a", 1);
  folder.drop("b", 5);
  const auto before = texts(folder);
  const auto plan = consolidate(folder);
  CHECK(plan.merged.size() == 2);
  CHECK(plan.archived.empty());
  CHECK(texts(folder) == before);
  const auto ledger = folder.read("decisions.md");
  CHECK(ledger.rfind("# Decisions\n", 0) == 0);
  CHECK(ledger.find("| 2026-12-01-b | NO-GO | Shall we fund b? | stands | here |") != std::string::npos);
  CHECK(ledger.find("<!-- gonogo:drop 2026-12-01-b -->") < ledger.find("<!-- gonogo:drop 2026-12-01-a -->"));
  CHECK(contents(folder.path / "inbox").size() == 1);
  CHECK(plan.bytes_after == ledger.size());
  CHECK(consolidate(folder).merged.empty());  // again: nothing to do, nothing changed
  CHECK(folder.read("decisions.md") == ledger);
}

TEST_CASE("what stands in the ledger beside decisions stays", "[decisions]") {
  const DecisionsFolder folder("directives");
  folder.write("decisions.md", "# Ours\n\nAlways measure twice.\n");
  folder.drop("a", 1);
  consolidate(folder);
  folder.write("decisions.md", folder.read("decisions.md") + "\nA line at the end.\n");
  folder.drop("b", 1);
  consolidate(folder);
  const auto ledger = folder.read("decisions.md");
  CHECK(ledger.rfind("# Ours\n\nAlways measure twice.\n", 0) == 0);
  CHECK(ledger.find("A line at the end.") != std::string::npos);
  CHECK(texts(folder).size() == 2);
}

TEST_CASE("past its size the ledger hands what is superseded, then what is oldest, to the archive", "[decisions]") {
  const DecisionsFolder folder("size");
  for (const char* topic : {"a", "b", "c", "d"}) folder.drop(topic, 1);
  folder.drop("e", 1, {.supersedes = {"2026-12-01-c"}, .why = "measured again"});
  const auto before = texts(folder);
  const auto one = before.begin()->second.size();
  const auto plan = consolidate(folder, one * 3 + one / 2 + 1000);
  CHECK(plan.archived == std::vector<std::string>{"2026-12-01-c", "2026-12-01-a"});
  CHECK(plan.bytes_after <= one * 3 + one / 2 + 1000);
  CHECK(texts(folder) == before);
  const auto ledger = folder.read("decisions.md");
  const auto* archived = reports::read_store(folder.path).find("2026-12-01-c");
  REQUIRE(archived != nullptr);
  CHECK(ledger.find("| 2026-12-01-c | GO | Shall we fund c? | superseded by 2026-12-01-e | archive/") !=
        std::string::npos);
  // The pointer stays when the archive is older than the ledger.
  folder.drop("f", 1);
  consolidate(folder, one * 10);
  CHECK(folder.read("decisions.md").find("| 2026-12-01-a | GO | Shall we fund a? | stands | archive/") !=
        std::string::npos);
}

TEST_CASE("at 50 KiB the real limit archives by size", "[decisions]") {
  const DecisionsFolder folder("fifty");
  for (int i = 0; i < 30; ++i) folder.drop(fmt::format("topic-{:02}", i), 1);
  const auto before = texts(folder);
  const auto plan = consolidate(folder);
  CHECK(plan.bytes_after <= 50 * 1024);
  CHECK(plan.bytes_after > 40 * 1024);  // no more than needed
  CHECK_FALSE(plan.archived.empty());
  CHECK(texts(folder) == before);
}

TEST_CASE("a consolidation cut short after any step loses nothing and ends the same when run again", "[decisions]") {
  const auto filled = [](const DecisionsFolder& folder) {
    for (const char* topic : {"a", "b"}) folder.drop(topic, 1);
    consolidate(folder);
    for (const char* topic : {"c", "d", "e"}) folder.drop(topic, 1);
    return texts(folder);
  };
  const DecisionsFolder whole("whole");
  const auto before = filled(whole);
  const std::size_t limit = before.begin()->second.size() * 2 + 1500;
  const auto steps = consolidate(whole, limit).steps.size();
  REQUIRE(steps == 5);  // archive, ledger, three removals
  const auto after = contents(whole.path);
  for (std::size_t done = 0; done <= steps; ++done) {
    CAPTURE(done);
    const DecisionsFolder folder("cut" + std::to_string(done));
    (void)filled(folder);
    auto plan = reports::plan_consolidation(reports::read_store(folder.path), limit);
    plan.steps.resize(done);
    reports::run_steps(plan.steps);
    CHECK(texts(folder) == before);
    consolidate(folder, limit);
    CHECK(contents(folder.path) == after);
  }
}

TEST_CASE("nothing is merged that contradicts what is there", "[decisions]") {
  const DecisionsFolder folder("contradict");
  const auto placed = folder.drop("a", 1);
  consolidate(folder);
  folder.drop("a", 3);  // the same id, another content
  const auto before = contents(folder.path);
  CHECK_THROWS_AS(consolidate(folder), core::InputError);
  CHECK(contents(folder.path) == before);
  folder.write("inbox/2026-12-01-a.md", placed.text);  // the same content: a leftover
  CHECK(consolidate(folder).merged.empty());
  CHECK_FALSE(fs::exists(folder.path / "inbox/2026-12-01-a.md"));

  folder.drop("b", 1, {.retracts = {"2026-01-01-nowhere"}, .why = "x"});
  CHECK_THROWS_AS(consolidate(folder), core::InputError);
  fs::remove(folder.path / "inbox/2026-12-01-b.md");
  auto edited = folder.drop("c", 1).text;
  edited.replace(edited.find("GO: Shall"), 9, "GO: Hhall");
  folder.write("inbox/2026-12-01-c.md", edited);
  CHECK_THROWS_AS(consolidate(folder), core::InputError);
  folder.write("inbox/2026-12-01-c.md", placed.text + "stray words\n");
  CHECK_THROWS_AS(consolidate(folder), core::InputError);
}

TEST_CASE("a folder without decisions is empty, not wrong", "[decisions]") {
  const DecisionsFolder folder("empty");
  const auto plan = consolidate(folder);
  CHECK(plan.steps.empty());
  CHECK_FALSE(fs::exists(folder.path / "decisions.md"));
}
