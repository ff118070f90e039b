// Each format read from a sample file whose truth is known.
#include "reports/import/imported_run.hpp"

#include <algorithm>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/record/sample_record.hpp"
#include "tests/reports/google_text.hpp"

using namespace gonogo;
using record::Better;
using record::Status;
using reports::Format;
using reports::ImportedRow;
using reports::ImportedRun;

namespace {

const std::string kSamples = (tests::source_folder() / "tests/reports/samples/").string();

const ImportedRow& row_of(const ImportedRun& run, const std::string& name, const std::string& metric) {
  const auto found = std::find_if(run.rows.begin(), run.rows.end(),
                                  [&](const auto& row) { return row.name == name && row.metric == metric; });
  CAPTURE(name, metric);
  REQUIRE(found != run.rows.end());
  return *found;
}

std::string fact_of(const ImportedRun& run, const std::string& key) {
  for (const auto& fact : run.facts)
    if (fact.key == key) return fact.value;
  return "";
}

core::Fault fault_of(const std::string& text, const std::string& file = "new.json") {
  try {
    (void)reports::parse_run(text, file);
  } catch (const core::InputError& error) {
    return error.fault();
  }
  FAIL("no error");
  return {};
}

}  // namespace

TEST_CASE("Google Benchmark's repetitions are samples in milliseconds, whatever the time unit", "[import]") {
  const auto base = reports::read_run(kSamples + "google-base.json");
  const auto slower = reports::read_run(kSamples + "google-slower.json");  // in microseconds
  CHECK(base.format == Format::google_benchmark);
  const auto& row = row_of(base, "gemv/k:4096/n:4096", "real_time");
  CHECK(row.samples.size() == 10);
  CHECK(row.samples[0] == Approx(0.91).epsilon(0.03));
  CHECK(row.iterations == 1000);
  CHECK(row_of(slower, "gemv/k:4096/n:4096", "real_time").samples[0] == Approx(0.91 * 1.3).epsilon(0.03));
  CHECK(row_of(base, "copy/64", "bytes_per_second").better == Better::higher);
  const auto& broken = row_of(base, "broken", "real_time");
  CHECK(broken.status == Status::failed);
  CHECK(broken.reason == "no device \\ \"0\"\n");
  CHECK(fact_of(base, "cpus") == "8");
  CHECK(fact_of(base, "build_type") == "release");
}

TEST_CASE("aggregates without their repetitions are one value, and say how to get more", "[import]") {
  const auto run = reports::read_run(kSamples + "google-aggregates.json");
  REQUIRE(run.rows.size() == 4);
  for (const auto& row : run.rows) {
    CHECK(row.samples.size() == 1);
    CHECK(row.single_reason.find("--benchmark_report_aggregates_only") != std::string::npos);
  }
}

TEST_CASE("nvbench's samples come from the side file beside the JSON; without it the mean is left", "[import]") {
  const auto run = reports::read_run(kSamples + "nvbench-base.json");
  CHECK(run.format == Format::nvbench);
  REQUIRE(run.rows.size() == 3);
  const auto& row = row_of(run, "copy[Elements=1048576]", "gpu_time.cold");
  CHECK(row.samples.size() == 24);
  CHECK(row.samples[0] == Approx(0.084).epsilon(0.03));
  CHECK(row.device == "Sample GPU");
  CHECK(row_of(run, "copy[Elements=1099511627776]", "gpu_time.cold").status == Status::skipped);
  CHECK(fact_of(run, "sm_version") == "900");
  const auto alone = reports::parse_run(record::read_text(kSamples + "nvbench-base.json"), "elsewhere/run.json");
  CHECK(row_of(alone, "copy[Elements=1048576]", "gpu_time.cold").samples.size() == 1);
  REQUIRE(alone.notes.size() == 1);
  CHECK(alone.notes[0] == "2 side files of samples are not there: those rows have their mean only");
}

TEST_CASE("llama-bench is read as an array and as lines", "[import]") {
  const auto array = reports::read_run(kSamples + "llama-base.json");
  const auto lines = reports::read_run(kSamples + "llama-slower.jsonl");
  CHECK(array.format == Format::llama_bench);
  CHECK(lines.format == Format::llama_bench);
  REQUIRE(array.rows.size() == 3);
  REQUIRE(lines.rows.size() == 3);
  const auto& row = row_of(array, "tg128 @ d4096", "time");
  CHECK(row.samples.size() == 8);
  CHECK(row.samples[0] == Approx(1620).epsilon(0.03));
  CHECK(row.levers.find("n_batch=2048") != std::string::npos);
  CHECK(row.model == "tiny 1B Q4_0 tiny-q4.gguf");
  CHECK(row_of(lines, "tg128 @ d4096", "time").samples[0] == Approx(1620 * 1.25).epsilon(0.03));
}

TEST_CASE("hyperfine's runs are fresh processes, and a run that failed fails its row", "[import]") {
  const auto run = reports::read_run(kSamples + "hyperfine-base.json");
  CHECK(run.format == Format::hyperfine);
  CHECK(run.source == reports::SampleSource::fresh_processes);
  CHECK(row_of(run, "tool --small", "time").samples.size() == 12);
  CHECK(row_of(run, "tool --small", "time").samples[0] == Approx(52).epsilon(0.03));
  const auto failing = reports::read_run(kSamples + "hyperfine-failing.json");
  CHECK(row_of(failing, "tool --small", "time").status == Status::failed);
  CHECK(row_of(failing, "tool --small", "time").reason ==
        "3 of 12 runs ended with another exit code than 0 or by a signal");
  CHECK(row_of(failing, "tool --large 'x y'", "time").status == Status::ok);
}

TEST_CASE("criterion's benchmarks are known by the id inside, and stay three", "[import]") {
  const auto sides = reports::read_side(kSamples + "criterion@main");
  REQUIRE(sides.size() == 1);
  CHECK(sides[0].format == Format::criterion);
  REQUIRE(sides[0].rows.size() == 3);
  for (const char* id : {"g/f/1000", "g/f_1000", "g_f/1000"}) CHECK(row_of(sides[0], id, "time").samples.size() == 20);
  CHECK(row_of(sides[0], "g/f/1000", "time").samples[0] == Approx(0.051).epsilon(0.03));
  CHECK(reports::read_side(kSamples + "criterion")[0].rows.size() == 3);
  CHECK_THROWS_AS(reports::read_side(kSamples + "criterion@nope"), core::InputError);
  const auto one = reports::read_run(kSamples + "criterion/bench0/new/estimates.json");
  CHECK(row_of(one, "g/f/1000", "time").samples.size() == 1);
  const auto messages = reports::read_run(kSamples + "criterion-messages.jsonl");
  REQUIRE(messages.rows.size() == 2);
  CHECK(row_of(messages, "g/f/1000", "time").samples.size() == 10);
}

TEST_CASE("a gonogo record gives every metric of its stacks, with the samples of the rows that feed it", "[import]") {
  auto record = tests::sample_record();
  record.stacks[0].metrics["verify.gpu_ms/m=8/past=512"] = record::measured(2.25, "ms", Better::lower);
  record.stacks[0].metrics["capture.seams/m=8"] = record::measured(0, "1", Better::lower);
  record.rows.erase(record.rows.begin() + 1);  // two rows of one metric are no case for this test
  const auto run = reports::parse_run(record::to_text(record), "run.json");
  CHECK(run.format == Format::gonogo_record);
  const auto& timed = row_of(run, "latest", "verify.gpu_ms/m=8/past=512");
  CHECK(timed.levers == "gemm fusion");
  CHECK(row_of(run, "latest", "capture.seams/m=8").exact);
  CHECK(row_of(run, "latest", "bstar.verify/m=8/past=512").role == reports::Role::derived);
  const auto& unmeasured = row_of(run, "latest", "dram.share/m=1/op=gate_up");
  CHECK(unmeasured.status == Status::unmeasured);
  CHECK(unmeasured.reason == "needs a cuda device");
  CHECK(fact_of(run, "model") == "tiny");
}

TEST_CASE("a folder is a side of several processes", "[import]") {
  const auto side = reports::read_side(kSamples + "visits-base");
  REQUIRE(side.size() == 8);
  CHECK(side[0].file.find("run-0.json") != std::string::npos);
}

TEST_CASE("two rows of one name and unit are an error unless the file calls them repetitions", "[import]") {
  const std::string row = R"({"name": "k1", "run_type": "iteration", "real_time": 1, "time_unit": "ns"})";
  const auto fault = fault_of("{\"benchmarks\": [" + row + ", " + row + "]}");
  CHECK(fault.file == "new.json");
  CHECK(fault.place == "benchmarks[0].name");
  CHECK(fault.what.find("'k1' is there twice") != std::string::npos);
  const std::string repeated = R"({"name": "k1", "run_type": "iteration", "repetitions": 2, "real_time": 1})";
  CHECK(reports::parse_run("{\"benchmarks\": [" + repeated + ", " + repeated + "]}", "a").rows[0].samples.size() == 2);
}

TEST_CASE("a broken file is told by its name, the place and the reason", "[import]") {
  const std::string good = tests::google_text({tests::steady("k", 1000)});
  struct Broken {
    const char* text;
    const char* what;
  };
  for (const Broken& one :
       {Broken{"", "the file is empty"},
        {"[]", "an array of 0"},
        {"{}", "got object"},
        {"'[1]'", "invalid literal"},
        {"\xEF\xBB\xBF{}", "byte order mark"},
        {"17:03 start\n{\"benchmarks\": []}", ""},
        {R"({"benchmarks": [], "context": {}})", "holds no benchmark"},
        {R"({"benchmarks": [{"name": "k", "real_time": nan}]})", ""},
        {R"({"benchmarks": [{"name": "k", "real_time": "NaN"}]})", "wanted a number"},
        {R"({"benchmarks": [{"name": "k", "real_time": 1E999}]})", ""},
        {R"({"benchmarks": [{"name": "k", "real_time": 1, "time_unit": "h"}]})", "wanted ns, us, ms or s"},
        {R"({"benchmarks": [7], "context": {}})", "wanted an object"}}) {
    CAPTURE(one.text);
    const auto fault = fault_of(one.text);
    CHECK(fault.file == "new.json");
    CHECK(fault.what.find(one.what) != std::string::npos);
  }
  for (const std::string& text : {good + "trailing", good + good, good.substr(0, good.size() / 2)})
    CHECK(!fault_of(text).place.empty());
  CHECK(fault_of("'[...]'").remedy.find("'[...]'") != std::string::npos);
  CHECK_THROWS_AS(reports::read_run("no/such/file.json"), core::InputError);
}

TEST_CASE("of lines, a cut last one is reported with its number and nothing is used", "[import]") {
  const std::string text = record::read_text(kSamples + "llama-slower.jsonl");
  CHECK(reports::parse_run(text.substr(0, text.size() - 1), "r.jsonl").rows.size() == 3);  // no final newline
  CHECK(reports::parse_run(text + "\n\n", "r.jsonl").rows.size() == 3);
  CHECK(fault_of(text.substr(0, text.size() - 30)).place == "line 3");
}

TEST_CASE("a null time is an absent value, not a crash and not 0", "[import]") {
  const auto run =
      reports::parse_run(R"({"benchmarks": [{"name": "k", "real_time": null}, {"name": "l", "real_time": 1}]})", "a");
  CHECK(run.rows[0].status == Status::unmeasured);
  CHECK(run.rows[0].samples.empty());
}

TEST_CASE("a time that leaves a double's range makes its row invalid", "[import]") {
  const auto run = reports::parse_run(
      R"({"benchmarks": [{"name": "k", "real_time": 1.7976931348623159e305, "time_unit": "s"}]})", "a");
  CHECK((run.rows[0].status == Status::invalid || run.rows[0].samples.size() == 1));
  const auto beyond =
      reports::parse_run(R"({"benchmarks": [{"name": "k", "real_time": 1.7e308, "time_unit": "s"}]})", "a");
  CHECK(beyond.rows[0].status == Status::invalid);
}

TEST_CASE("a direction is known by unit or name, or not at all", "[import]") {
  for (const char* rate : {"tok/s", "GB/s", "items_per_second", "tokens_per_sec"})
    CHECK(reports::direction_of(rate, "") == Better::higher);
  for (const char* time : {"latency_ms", "ms", "allocs_per_iter"})
    CHECK(reports::direction_of(time, "") == Better::lower);
  for (const char* unknown : {"%peak", "bytes", "k", "systems"})
    CHECK(reports::direction_of(unknown, "") == Better::none);
}
