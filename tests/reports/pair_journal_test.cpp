#include <nlohmann/json.hpp>
#include <unistd.h>

#include <filesystem>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/pair/journal.hpp"
#include "tests/catch.hpp"
#include "tests/models/temp_folder.hpp"
#include "harness/record/run_record.hpp"

using namespace gonogo;
using namespace gonogo::reports;

namespace {

PairPlan plan_of() {
  PairPlan plan;
  plan.a = "x";
  plan.b = "y";
  plan.blocks = 6;
  return plan;
}

Run run_of(std::size_t index, double value) {
  Run run{.visit = visits_of(plan_of())[index], .started = "2026-12-01T00:00:00Z", .readings = {}};
  run.pid = 10 + static_cast<int>(index);
  run.readings.facts = {{"host", "h"}};
  run.readings.metrics["k"] = {.value = value, .unit = "ms", .better = record::Better::lower};
  run.readings.metrics["lost"] = {
      .value = std::nullopt, .unit = "ms", .better = record::Better::higher, .status = "failed", .reason = "gone"};
  return run;
}

}  // namespace

TEST_CASE("a journal keeps every run and goes on where it stopped", "[pair]") {
  const tests::TempFolder folder;
  const auto path = folder.path() / "j.jsonl";
  {
    auto journal = Journal::start(path, plan_of());
    journal.append(run_of(0, 1.25));
    journal.append_failure(1, "it crashed");
  }
  {
    auto journal = Journal::resume(path);
    REQUIRE(journal.content().runs.size() == 1);
    CHECK(journal.content().failures == std::vector<std::string>{"it crashed"});
    journal.append(run_of(1, 1.5));
  }
  const auto content = read_journal(path);
  REQUIRE(content.runs.size() == 2);
  CHECK(to_json(content.plan) == to_json(plan_of()));
  CHECK(content.runs[0].readings.metrics.at("k").value == 1.25);
  CHECK(content.runs[1].readings.metrics.at("k").value == 1.5);
  CHECK(content.runs[1].pid == 11);
  CHECK(content.runs[1].readings.facts.at("host") == "h");
  CHECK_FALSE(content.runs[1].readings.metrics.at("lost").value.has_value());
  CHECK(content.runs[1].readings.metrics.at("lost").reason == "gone");
  CHECK(content.runs[1].readings.metrics.at("lost").better == record::Better::higher);
}

TEST_CASE("wherever a journal is cut, the complete lines before it stand and the rest is done again", "[pair]") {
  const tests::TempFolder folder;
  const auto path = folder.path() / "j.jsonl";
  {
    auto journal = Journal::start(path, plan_of());
    for (std::size_t i = 0; i < 3; ++i) journal.append(run_of(i, 1));
  }
  const auto whole = record::read_text(path);
  const auto header = whole.find('\n') + 1;
  for (std::size_t cut = header; cut < whole.size(); cut += 7) {
    const auto part = whole.substr(0, cut);
    const auto lines = static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    CHECK(parse_journal(part, "j").runs.size() == lines - 1);
  }
  CHECK_THROWS_AS(parse_journal(whole.substr(0, header - 1), "j"), core::InputError);
  record::write_file(path, whole.substr(0, whole.size() - 5));
  auto resumed = Journal::resume(path);
  CHECK(resumed.content().runs.size() == 2);
  resumed.append(run_of(2, 3));
  CHECK(read_journal(path).runs.size() == 3);
}

TEST_CASE("a journal with a broken line inside, a gap, or another kind of file is refused with the line", "[pair]") {
  const tests::TempFolder folder;
  const auto path = folder.path() / "j.jsonl";
  {
    auto journal = Journal::start(path, plan_of());
    for (std::size_t i = 0; i < 3; ++i) journal.append(run_of(i, 1));
  }
  const auto whole = record::read_text(path);
  const auto line_2 = whole.find('\n') + 1, line_3 = whole.find('\n', line_2) + 1;
  const auto refusal = [](const std::string& text) -> std::string {
    try {
      (void)parse_journal(text, "j");
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(refusal(whole.substr(0, line_2) + "{\"visit\": 0\n" + whole.substr(line_3)).find("line 2") !=
        std::string::npos);
  CHECK(refusal(whole.substr(0, line_2) + whole.substr(line_3)).find("line 2") != std::string::npos);
  CHECK(refusal(whole.substr(0, line_3) + "{}\n").find("line 3") != std::string::npos);
  CHECK(refusal("{}\n").find("line 1") != std::string::npos);
  CHECK(refusal("").find("no complete line") != std::string::npos);
  CHECK(refusal("\n\n").find("line 1") != std::string::npos);
}

TEST_CASE("two sessions never share a journal, and starting one never overwrites", "[pair]") {
  const tests::TempFolder folder;
  const auto path = folder.path() / "j.jsonl";
  const auto first = Journal::start(path, plan_of());
  CHECK_THROWS_AS(Journal::resume(path), core::UsageError);
  CHECK_THROWS_AS(Journal::start(path, plan_of()), core::UsageError);
  CHECK_THROWS_AS(Journal::start(folder.path() / "missing" / "j", plan_of()), core::UsageError);
}
