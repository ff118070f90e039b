// Comparisons: matching, refusals, tables and the rates of the decision, beyond the golden table.
#include "reports/compare/comparison.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/seeds/seeds.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/record/sample_record.hpp"
#include "tests/reports/google_text.hpp"

using namespace gonogo;
using reports::ComparePolicy;
using reports::Finding;
using reports::ImportedRow;
using reports::ImportedRun;
using reports::RunComparison;
using tests::steady;

namespace {

const std::string kSamples = (tests::source_folder() / "tests/reports/samples/").string();

std::vector<ImportedRun> google(const tests::Json& rows, const tests::Json& context = tests::Json::object()) {
  std::vector<ImportedRun> side;
  side.push_back(reports::parse_run(tests::google_text(rows, context), "run.json"));
  return side;
}

const reports::ComparedRow& row_of(const RunComparison& comparison, const std::string& name) {
  const auto found =
      std::find_if(comparison.rows.begin(), comparison.rows.end(), [&](const auto& row) { return row.name == name; });
  CAPTURE(name);
  REQUIRE(found != comparison.rows.end());
  return *found;
}

std::size_t count(const RunComparison& comparison, Finding finding) {
  const auto found = comparison.counts.find(finding);
  return found == comparison.counts.end() ? 0 : found->second;
}

// Rows of n samples around 1 ms; row i is slower by scale(i).
std::vector<ImportedRun> synthetic(std::size_t rows, std::size_t n, unsigned seed,
                                   const std::function<double(std::size_t)>& scale) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> noise(0, 0.01);
  ImportedRun run;
  run.file = "synthetic.json";
  for (std::size_t i = 0; i < rows; ++i) {
    ImportedRow row{
        .name = fmt::format("kernel/{}", i), .metric = "real_time", .unit = "ms", .reason = {}, .samples = {}};
    for (std::size_t k = 0; k < n; ++k) row.samples.push_back(scale(i) * std::exp(noise(random)));
    run.rows.push_back(std::move(row));
  }
  return {run};
}

double same(std::size_t) { return 1; }

}  // namespace

TEST_CASE("what is known of the sample files is found, in every format", "[compare]") {
  struct Truth {
    const char *base, *cand, *slower;
    std::size_t unchanged;
    int exit;
  };
  for (const Truth& truth : {Truth{"google-base.json", "google-slower.json", "gemv/k:4096/n:4096", 2, 4},
                             {"nvbench-base.json", "nvbench-slower.json", "copy[Elements=16777216]", 1, 1},
                             {"llama-base.json", "llama-slower.jsonl", "tg128 @ d4096", 2, 1},
                             {"hyperfine-base.json", "hyperfine-slower.json", "tool --small", 1, 1},
                             {"criterion@main", "criterion", "g/f_1000", 2, 1},
                             {"visits-base", "visits-slower", "step", 0, 1}}) {
    CAPTURE(truth.base);
    const auto base = reports::read_side(kSamples + truth.base), cand = reports::read_side(kSamples + truth.cand);
    const auto comparison = reports::compare(base, cand, {});
    CHECK(count(comparison, Finding::regression) == 1);
    CHECK(row_of(comparison, truth.slower).finding == Finding::regression);
    CHECK(count(comparison, Finding::unchanged) == truth.unchanged);
    CHECK(static_cast<int>(comparison.exit_code) == truth.exit);
    const auto alike = reports::compare(base, base, {});
    CHECK(count(alike, Finding::regression) == 0);
    CHECK(!reports::reproduce_command(comparison, row_of(comparison, truth.slower)).empty());
  }
}

TEST_CASE("the seeds' 118 rows are not decidable: one mean a side, and so many repetitions would be needed",
          "[compare][seeds]") {
  const auto files = reports::seed_files();
  std::size_t rows = 0;
  for (const char* id : {"pr-948", "pr-962"}) {
    const auto side = [&](const char* which) {
      std::vector<ImportedRun> runs;
      const std::string name = fmt::format("{}.{}.json", id, which);
      runs.push_back(reports::parse_run(files.at(name), name));
      return runs;
    };
    const auto comparison = reports::compare(side("base"), side("head"), {});
    CHECK(comparison.verdict == "INCONCLUSIVE");
    CHECK(comparison.exit_code == core::ExitCode::inconclusive);
    CHECK(count(comparison, Finding::regression) == 0);
    CHECK(count(comparison, Finding::not_decidable) == 59);
    for (const auto& row : comparison.rows) {
      CHECK(row.reason.find("one value a side shows no spread") == 0);
      CHECK(row.needed == 7U);  // of the rank-sum test at 5 % / 59
      ++rows;
    }
    const std::string table = reports::to_markdown(comparison, reports::Style::seeds);
    CHECK(table.find("\xF0\x9F\x94\xB4 | not decidable") != std::string::npos);  // red, never without the verdict
  }
  CHECK(rows == 118);
}

TEST_CASE("rows are matched by their whole key, whatever their order and number", "[compare]") {
  tests::Json base = tests::Json::array(), cand = tests::Json::array();
  for (int m = 0; m < 12; ++m) base.push_back(steady(fmt::format("gemm/m:{}/n:64", m), 1e6 * (m + 1)));
  for (const int m : {7, 2, 5}) cand.push_back(steady(fmt::format("gemm/m:{}/n:64", m), 1e6 * (m + 1), 10, 3));
  const auto comparison = reports::compare(google(base), google(cand), {});
  CHECK(count(comparison, Finding::unchanged) == 3);
  CHECK(count(comparison, Finding::missing) == 9);
}

TEST_CASE("zero matched rows are an error with its count, even where rows may be missing", "[compare]") {
  ComparePolicy lenient;
  lenient.allowed = {"missing"};
  for (const ComparePolicy& policy : {ComparePolicy{}, lenient}) {
    const auto comparison = reports::compare(google({steady("a/k", 1e6)}), google({steady("b/k", 2e6)}), policy);
    CHECK(comparison.exit_code == core::ExitCode::failed_rows);
    CHECK(reports::to_text(comparison, reports::Style::plain, false).find("0 of 1 rows compared") != std::string::npos);
  }
}

TEST_CASE("a renamed row is one missing and one new, with the guess", "[compare]") {
  const auto comparison = reports::compare(google({steady("kernel_one", 1e6), steady("z", 1e6)}),
                                           google({steady("kernel_one2", 1e6), steady("z", 1e6)}), {});
  REQUIRE(comparison.renames.size() == 1);
  CHECK(comparison.renames[0].from == "kernel_one");
  CHECK(comparison.renames[0].to == "kernel_one2");
}

TEST_CASE("each value has a unit of its own and is never printed as 0", "[compare]") {
  ComparePolicy policy;
  const auto text = reports::to_text(
      reports::compare(google({steady("k", 1.1e6)}), google({steady("k", 1460)}), policy), reports::Style::plain, true);
  CHECK(text.find("1.10 ms") != std::string::npos);
  CHECK(text.find("1.46 µs") != std::string::npos);
}

TEST_CASE("a misspelt key to allow is an error with the nearest one", "[compare]") {
  ComparePolicy policy;
  policy.allowed = {"devise"};
  const tests::Json a{{"gpu_name", "A"}}, b{{"gpu_name", "B"}};
  try {
    (void)reports::compare(google({steady("k", 1e6)}, a), google({steady("k", 1e6)}, b), policy);
    FAIL("no error");
  } catch (const core::UsageError& error) {
    CHECK(std::string(error.what()).find("did you mean 'device'?") != std::string::npos);
  }
}

TEST_CASE("every key in which the sides differ is listed, in every form", "[compare]") {
  const tests::Json a{{"gpu_name", "A100"}, {"driver", "535.1"}, {"uuid", "X"}},
      b{{"gpu_name", "H200"}, {"driver", "580.2"}, {"uuid", "Y"}};
  const auto comparison = reports::compare(google({steady("k", 1e6)}, a), google({steady("k", 2e6)}, b), {});
  CHECK(!comparison.comparable);
  CHECK(comparison.rows.empty());
  CHECK(comparison.exit_code == core::ExitCode::invalid_environment);
  for (const std::string& text : {reports::to_text(comparison, reports::Style::plain, false),
                                  reports::to_markdown(comparison, reports::Style::plain)}) {
    CHECK(text.find("NOT COMPARABLE · the sides differ in device, driver") != std::string::npos);
    CHECK(text.find("device: A100 -> H200 (refused; --allow device)") != std::string::npos);
    CHECK(text.find("uuid: X -> Y\n") != std::string::npos);
  }
}

TEST_CASE("a run that was started on a busy machine is said to be disturbed", "[compare]") {
  const auto busy = google({steady("k", 1e6)}, {{"load_avg", {19.5, 3.0, 1.0}}});
  const auto comparison = reports::compare(google({steady("k", 1e6)}), busy, {});
  REQUIRE(comparison.notes.size() == 1);
  CHECK(comparison.notes[0] == "run.json: started at a load of 19.5 on 8 processors: other work disturbed it");
}

TEST_CASE("two tools' files are not comparable", "[compare]") {
  const auto comparison = reports::compare(reports::read_side(kSamples + "hyperfine-base.json"),
                                           reports::read_side(kSamples + "nvbench-base.json"), {});
  CHECK(comparison.exit_code == core::ExitCode::invalid_environment);
  CHECK(comparison.differences[0].key == "format");
}

TEST_CASE("levers are part of a row's key unless they may differ", "[compare]") {
  auto record = tests::sample_record();
  record.rows.erase(record.rows.begin() + 1, record.rows.end());
  record.stacks[0].metrics["capture.seams/m=8"] = record::measured(0, "1", record::Better::lower);
  const auto side = [&] {
    std::vector<ImportedRun> runs;
    runs.push_back(reports::parse_run(record::to_text(record), "run.json"));
    return runs;
  };
  const auto base = side();
  record.stacks[0].levers.push_back("pdl");
  record.stacks[0].metrics["capture.seams/m=8"] = record::measured(3, "1", record::Better::lower);
  CHECK(reports::compare(base, side(), {}).exit_code == core::ExitCode::failed_rows);
  ComparePolicy policy;
  policy.allowed = {"levers"};
  const auto comparison = reports::compare(base, side(), policy);
  CHECK(comparison.exit_code == core::ExitCode::no_go);
  CHECK(comparison.rows[0].metric == "capture.seams/m=8");
  CHECK(comparison.rows[0].reason == "a count: 0 -> 3");
}

TEST_CASE("a measured noise floor widens the limit, and lets a gate decide one process a side", "[compare]") {
  const auto base = google({steady("k", 1e6)}), cand = google({steady("k", 1.25e6, 10, 4)});
  ComparePolicy policy;
  policy.gate = true;
  CHECK(row_of(reports::compare(base, cand, policy), "k").finding == Finding::not_decidable);
  policy.noise["k"] = {.one_run = std::log(1.03), .many_runs = std::log(1.01)};
  const auto decided = reports::compare(base, cand, policy);
  CHECK(row_of(decided, "k").finding == Finding::regression);
  CHECK(*row_of(decided, "k").limit == Approx(0.06));
  policy.noise["k"].one_run = std::log(1.20);
  CHECK(row_of(reports::compare(base, cand, policy), "k").finding == Finding::unchanged);
}

TEST_CASE("an inconclusive row says what it would have shown and how many values would settle it", "[compare]") {
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.25);
  const auto side = [&] {
    ImportedRun run;
    ImportedRow row{.name = "k", .metric = "real_time", .unit = "ms", .reason = {}, .samples = {}};
    for (int i = 0; i < 8; ++i) row.samples.push_back(std::exp(noise(random)));
    run.rows.push_back(row);
    return std::vector<ImportedRun>{run};
  };
  const auto comparison = reports::compare(side(), side(), {});
  const auto& row = comparison.rows[0];
  CHECK(row.finding == Finding::inconclusive);
  REQUIRE(row.detectable);
  CHECK(*row.detectable > *row.limit);
  REQUIRE(row.needed);
  CHECK(*row.needed > 8);
  CHECK(row.reason.find("these data would show") != std::string::npos);
}

TEST_CASE("identical code raises an alarm in at most 5 % of families of 50 rows, corrected either way", "[compare]") {
  for (const bool gate : {false, true}) {
    ComparePolicy policy;
    policy.practical = policy.process_floor = policy.timer_floor_ns = 0;
    policy.gate = gate;
    int alarms = 0;
    constexpr int kFamilies = 200;
    for (unsigned family = 0; family < kFamilies; ++family) {
      auto base = synthetic(50, 10, 2 * family + 1, same), cand = synthetic(50, 10, 2 * family + 2, same);
      base[0].source = cand[0].source = reports::SampleSource::fresh_processes;
      const auto comparison = reports::compare(base, cand, policy);
      if (count(comparison, Finding::regression) + count(comparison, Finding::improvement) > 0) ++alarms;
    }
    CAPTURE(gate, alarms);
    CHECK(alarms <= kFamilies * 0.05 + 2 * std::sqrt(kFamilies * 0.05 * 0.95));
  }
}

TEST_CASE("an offset between processes raises no alarm, and 30 % is found in all of ten rows", "[compare]") {
  std::mt19937_64 random(11);
  std::normal_distribution<double> offset(0, 0.02);
  int found = 0;
  for (unsigned i = 0; i < 100; ++i) {
    const double a = std::exp(offset(random)), b = std::exp(offset(random));
    const auto base = synthetic(1, 20, 3 * i + 1, [&](std::size_t) { return a; });
    const auto alike = synthetic(1, 20, 3 * i + 2, [&](std::size_t) { return b; });
    const auto slower = synthetic(1, 20, 3 * i + 3, [&](std::size_t) { return 1.3 * b; });
    CHECK(count(reports::compare(base, alike, {}), Finding::regression) == 0);
    found += static_cast<int>(count(reports::compare(base, slower, {}), Finding::regression));
  }
  CHECK(found == 100);
}

TEST_CASE("a Markdown table of 500 rows stays under 65,536 characters and says what it folded", "[compare]") {
  for (const auto style : {reports::Style::plain, reports::Style::seeds}) {
    const auto slower = [](std::size_t i) { return 1.3 + static_cast<double>(i) / 1000; };
    const auto all = reports::compare(synthetic(500, 10, 1, same), synthetic(500, 10, 2, slower), {});
    CHECK(count(all, Finding::regression) == 500);
    const std::string text = reports::to_markdown(all, style);
    CHECK(text.size() < 65536);
    CHECK(text.find("Not shown for want of space: ") != std::string::npos);
    const std::string quiet =
        reports::to_markdown(reports::compare(synthetic(500, 10, 1, same), synthetic(500, 10, 2, same), {}), style);
    CHECK(quiet.size() < 65536);
    CHECK(quiet.find("<summary>Folded: 500 unchanged</summary>") != std::string::npos);
    const auto few = reports::to_markdown(all, style, 8000);
    CHECK(few.size() <= 8000);
    CHECK(few.find("<!-- gonogo compare -->\n**REGRESSION · 500 regressions**") == 0);
  }
}

TEST_CASE("rows come worst first by their certain bound, and unchanged ones are folded", "[compare]") {
  const auto scale = [](std::size_t i) { return i == 1 ? 1.3 : i == 3 ? 1.8 : i == 4 ? 0.6 : 1.0; };
  const auto comparison = reports::compare(synthetic(6, 10, 1, same), synthetic(6, 10, 2, scale), {});
  CHECK(comparison.rows[0].name == "kernel/3");
  CHECK(comparison.rows[1].name == "kernel/1");
  CHECK(comparison.rows[2].name == "kernel/4");
  const std::string text = reports::to_text(comparison, reports::Style::plain, false);
  CHECK(text.find("REGRESSION · 2 regressions · 1 improvement · 3 unchanged\n") == 0);
  CHECK(text.find("kernel/0") == std::string::npos);
  CHECK(text.find("Folded: 3 unchanged") != std::string::npos);
  CHECK(text.find("This cannot catch:") != std::string::npos);
  CHECK(text.find("To measure the first row again: ") != std::string::npos);
}

TEST_CASE("a gate that can never fire says so before it decides", "[compare]") {
  ComparePolicy policy;
  policy.gate = true;
  auto base = synthetic(100, 4, 1, same), cand = synthetic(100, 4, 2, [](std::size_t) { return 2.0; });
  base[0].source = cand[0].source = reports::SampleSource::fresh_processes;
  const auto comparison = reports::compare(base, cand, policy);
  CHECK(comparison.reach.never);
  CHECK(comparison.reach.needed == 8);
  CHECK(comparison.exit_code == core::ExitCode::inconclusive);
  CHECK(reports::to_text(comparison, reports::Style::plain, false).find("as a gate this comparison can never fire") !=
        std::string::npos);
}

TEST_CASE("a name with quotes, bars, line breaks and control characters breaks no form", "[compare]") {
  const std::string name = "k\"\\|<b>\n\x01\xF0\x9F\x98\x80,`*";
  const auto comparison = reports::compare(google({steady(name, 1e6)}), google({steady(name, 2e6, 10, 5)}), {});
  const auto json = record::parse_strict(record::dump_strict(reports::to_json(comparison)), "json");
  CHECK(json["rows"][0]["name"] == name);
  const std::string markdown = reports::to_markdown(comparison, reports::Style::plain);
  CHECK(markdown.find("<b>") == markdown.find("filter='") + std::string("filter='^k\"\\\\\\|").size());
  CHECK(std::count(markdown.begin(), markdown.end(), '\x01') <= 1);  // in the command only
  CHECK(reports::to_csv(comparison).find("\"k\"\"\\|<b>") != std::string::npos);
}

TEST_CASE("10,000 rows of ten samples are compared and written in under a second of processor time", "[compare]") {
  const auto base = synthetic(10000, 10, 1, same);
  const auto cand = synthetic(10000, 10, 2, [](std::size_t i) { return i % 20 == 0 ? 1.3 : 1.0; });
  const std::clock_t start = std::clock();
  const auto comparison = reports::compare(base, cand, {});
  const std::string text = reports::to_markdown(comparison, reports::Style::plain) +
                           record::dump_strict(reports::to_json(comparison)) + reports::to_csv(comparison);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  CHECK(comparison.rows.size() == 10000);
  CHECK(count(comparison, Finding::regression) == 500);
  CHECK(!text.empty());
#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
  CHECK(seconds < 20);
#else
  CHECK(seconds < 1);
#endif
}
