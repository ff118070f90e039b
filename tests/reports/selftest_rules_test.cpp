#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"
#include "harness/stats/summary.hpp"
#include "reports/selftest/rules.hpp"
#include "tests/catch.hpp"
#include "tests/cli_e2e/program.hpp"

using namespace gonogo;
using namespace gonogo::reports;

namespace {

double mean_of(const std::vector<double>& values) { return *stats::summarize(values).mean; }

std::vector<double> process_means(const Scenario& scenario, std::size_t processes, double effect = 0) {
  std::mt19937_64 random(71);
  std::vector<double> means;
  for (std::size_t i = 0; i < processes; ++i)
    means.push_back(mean_of(run_process(scenario, {.candidate = true}, effect, 50, random)));
  return means;
}

void append_google_rows(record::Json& file, const std::string& name, const std::vector<double>& times) {
  for (std::size_t i = 0; i < times.size(); ++i)
    file["benchmarks"].push_back({{"name", name},
                                  {"run_name", name},
                                  {"run_type", "iteration"},
                                  {"repetitions", times.size()},
                                  {"repetition_index", i},
                                  {"threads", 1},
                                  {"iterations", 1},
                                  {"real_time", times[i]},
                                  {"cpu_time", times[i]},
                                  {"time_unit", "us"}});
}

}  // namespace

TEST_CASE("simulated processes spread, drift and slow down as their truth says", "[selftest]") {
  const Scenario calm{.name = "", .within = 0.004, .between = 0.02};
  const auto spread = stats::summarize(process_means(calm, 4000));
  CHECK(*spread.stddev / *spread.mean == Approx(0.02).epsilon(0.05));
  CHECK(*stats::summarize(process_means(calm, 4000, 0.05)).mean / *spread.mean == Approx(1.05).epsilon(1e-9));
  std::mt19937_64 random(3);
  const Scenario noisy{.name = "", .within = 0.03, .between = 0};
  const auto samples = stats::summarize(run_process(noisy, {}, 0, 20000, random));
  CHECK(*samples.stddev / *samples.mean == Approx(0.03).epsilon(0.05));
  const Scenario drifting{.name = "", .within = 0, .between = 0, .drift = 0.1};
  const auto times = run_process(drifting, {.begin = 0.5, .end = 1}, 0, 100, random);
  CHECK(times.front() == Approx(1050));
  CHECK(times.back() == Approx(1099.5));
}

TEST_CASE("heavy tails keep their standard deviation in name and have far outliers", "[selftest]") {
  const Scenario heavy{.name = "", .within = 0.004, .between = 0.01, .tails = Tails::heavy};
  const Scenario normal{.name = "", .within = 0.004, .between = 0.01};
  const auto far = [](const Scenario& scenario) {
    std::size_t count = 0;
    for (const double mean : process_means(scenario, 4000)) count += std::abs(mean / 1000 - 1) > 0.04 ? 1 : 0;
    return count;
  };
  CHECK(far(heavy) > 15);   // 0.65 % of 4000 by Student's t
  CHECK(far(normal) <= 3);  // four standard deviations
}

TEST_CASE("slots follow the order of the blocks and share out the session", "[selftest]") {
  const auto slots = interleaved(std::vector<std::uint8_t>{0, 1});
  REQUIRE(slots.size() == 4);
  CHECK_FALSE(slots[0].candidate);
  CHECK(slots[1].candidate);
  CHECK(slots[2].candidate);
  CHECK_FALSE(slots[3].candidate);
  CHECK(slots[3].end == 1.0);
  const auto sequential = one_after_the_other(2);
  CHECK_FALSE(sequential[1].candidate);
  CHECK(sequential[2].candidate);
  CHECK(sequential[2].begin == 0.5);
}

TEST_CASE("nvbench's legacy rule calls a difference of means above the smaller relative deviation", "[selftest]") {
  const std::vector<double> base{99, 100, 101};                                            // 1 %
  CHECK(nvbench_answer(base, std::vector<double>{97.9, 100.9, 103.9}) == Answer::same);    // +0.9 %, itself 2.97 %
  CHECK(nvbench_answer(base, std::vector<double>{98.1, 101.1, 104.1}) == Answer::slower);  // +1.1 %
  CHECK(nvbench_answer(base, std::vector<double>{95.8, 98.8, 101.8}) == Answer::faster);   // -1.2 %
}

TEST_CASE("the p that stands for Google Benchmark is the one its compare.py prints", "[selftest]") {
  const std::string script = "/usr/share/benchmark/compare.py";
  if (!std::filesystem::exists(script) ||
      std::system("/usr/bin/python3 -c 'import numpy, scipy' > /dev/null 2>&1") != 0)
    return tests::skip_test("compare.py, python3-numpy or python3-scipy is not installed");
  const tests::Folder folder;
  std::mt19937_64 random(5);
  const Scenario scenario{.name = "", .within = 0.005, .between = 0.004};
  record::Json base_file = {{"context", {{"json_schema_version", 1}}}, {"benchmarks", record::Json::array()}};
  record::Json head_file = base_file;
  std::map<std::string, double> ours;
  for (const std::size_t repetitions : {5U, 8U, 9U, 12U, 30U})
    for (const bool ties : {false, true}) {
      auto base = run_process(scenario, {}, 0, repetitions, random);
      auto candidate = run_process(scenario, {.candidate = true}, 0.003, repetitions, random);
      for (auto* times : {&base, &candidate})
        for (double& time : *times) time = ties ? std::round(time) : time;
      const auto name = fmt::format("k/{}/{}", repetitions, ties);
      append_google_rows(base_file, name, base);
      append_google_rows(head_file, name, candidate);
      ours[name] = google_p(base, candidate);
    }
  record::write_file(folder.file("base.json"), base_file.dump());
  record::write_file(folder.file("head.json"), head_file.dump());
  const auto command =
      fmt::format("PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 {} --no-color -d {} benchmarks {} {} > {} 2>&1", script,
                  folder.file("out.json"), folder.file("base.json"), folder.file("head.json"), folder.file("log"));
  const int status = std::system(command.c_str());
  CAPTURE(tests::text_of(folder.file("log")));
  REQUIRE(status == 0);
  const auto theirs = record::parse_strict(tests::text_of(folder.file("out.json")), "out.json");
  std::size_t compared = 0;
  for (const auto& row : theirs) {
    if (!row.contains("utest") || row["utest"].empty()) continue;
    CAPTURE(row["name"].dump());
    CHECK(ours.at(row["name"].get<std::string>()) == Approx(row["utest"]["time_pvalue"].get<double>()).epsilon(1e-9));
    ++compared;
  }
  CHECK(compared == 10);
}
