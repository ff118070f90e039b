// gonogo compare and export as programs: streams, files, exit codes.
#include <nlohmann/json.hpp>
#include <algorithm>
#include <filesystem>

#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/cli_e2e/program.hpp"
#include "tests/folders.hpp"
#include "tests/reports/google_text.hpp"

using namespace gonogo;
using tests::run_program;
using tests::steady;

namespace {

const std::string kSamples = (tests::source_folder() / "tests/reports/samples/").string();

// Sides for each exit code, by file name.
struct Files : tests::Folder {
  Files() {
    write("base", {steady("k", 1e6), steady("l", 2e6)});
    write("same", {steady("k", 1e6, 10, 2), steady("l", 2e6, 10, 3)});
    write("slow", {steady("k", 1.5e6, 10, 2), steady("l", 2e6, 10, 3)});
    write("once", {steady("k", 1e6, 1), steady("l", 2e6, 1)});
    write("lost", {steady("k", 1e6, 10, 2)});
    write("other", {steady("k", 1e6, 10, 2), steady("l", 2e6, 10, 3)}, {{"num_cpus", 64}});
    record::write_file(file("cut.json"), tests::text_of(file("base.json")).substr(0, 300));
  }
  void write(const std::string& name, const tests::Json& rows, const tests::Json& context = tests::Json::object()) {
    record::write_file(file(name + ".json"), tests::google_text(rows, context));
  }
};

}  // namespace

TEST_CASE("gonogo compare ends with the exit code of its verdict, its files written before", "[compare]") {
  const Files files;
  struct Case {
    const char* candidate;
    int code;
    const char* verdict;
  };
  for (const Case& one : {Case{"same", 0, "NO REGRESSION"},
                          {"slow", 1, "REGRESSION"},
                          {"once", 3, "INCONCLUSIVE"},
                          {"lost", 4, "FAILED ROWS"},
                          {"other", 5, "NOT COMPARABLE"}}) {
    CAPTURE(one.candidate);
    const auto ran = run_program(
        "gonogo", {"compare", files.file("base.json"), files.file(one.candidate + std::string(".json")), "--json",
                   files.file("out.json"), "--md", files.file("out.md"), "--csv", files.file("out.csv")});
    CHECK(ran.code == one.code);
    CHECK(ran.out.rfind(one.verdict, 0) == 0);
    CHECK(ran.err.empty());
    const auto json = record::parse_strict(tests::text_of(files.file("out.json")), "out.json");
    CHECK(json["exit_code"] == one.code);
    CHECK(json["verdict"] == one.verdict);
    CHECK(tests::text_of(files.file("out.md")).find(one.verdict) != std::string::npos);
    CHECK(tests::text_of(files.file("out.csv")).rfind("name,metric,unit", 0) == 0);
    for (const char* output : {"out.json", "out.md", "out.csv"}) std::filesystem::remove(files.file(output));
  }
}

TEST_CASE("bad input or options are exit 2 with one line on stderr and nothing on stdout", "[compare]") {
  const Files files;
  const std::string base = files.file("base.json"), same = files.file("same.json");
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{base},
                                                    {base, files.file("none.json")},
                                                    {base, files.file("cut.json")},
                                                    {files.file("cut.json"), base},
                                                    {base, same, "--alow", "device"},
                                                    {base, same, "--allow", "devise"},
                                                    {base, same, "--practical", "-1"},
                                                    {base, same, "--alpha", "0"},
                                                    {base, same, "--json", files.file("no_dir/x")},
                                                    {base, same, "--json", "-", "--md", "-"},
                                                    {base, same, "--style", "loud"},
                                                    {base, same, "--metric", "none"},
                                                    {base, same, "--noise", files.file("none.json")},
                                                    {base, same, "extra"}}) {
    CAPTURE(arguments);
    std::vector<std::string> all{"compare"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto ran = run_program("gonogo", all);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.rfind("gonogo: error: ", 0) == 0);
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  }
  const auto cut = run_program("gonogo", {"compare", base, files.file("cut.json")});
  CHECK(cut.err.find("cut.json: line ") != std::string::npos);
}

TEST_CASE("a comparison asked on stdout is that document alone", "[compare]") {
  const Files files;
  const auto ran = run_program("gonogo", {"compare", files.file("base.json"), files.file("slow.json"), "--json", "-"});
  CHECK(ran.code == 1);
  CHECK(record::parse_strict(ran.out, "stdout")["verdict"] == "REGRESSION");
  CHECK(ran.err.empty());
}

TEST_CASE("gonogo compare reads the policy from its options", "[compare]") {
  const Files files;
  const auto code = [&](const std::string& candidate, std::vector<std::string> options) {
    options.insert(options.begin(), {"compare", files.file("base.json"), files.file(candidate + ".json")});
    return run_program("gonogo", options).code;
  };
  CHECK(code("slow", {"--practical", "60"}) == 0);
  CHECK(code("slow", {"--gate"}) == 3);
  CHECK(code("slow", {"--process-floor", "40"}) == 0);
  CHECK(code("slow", {"--timer-floor", "1000000"}) == 0);
  CHECK(code("slow", {"--metric", "real_time"}) == 1);
  CHECK(code("slow", {"--paired"}) == 1);
  CHECK(code("once", {"--paired"}) == 2);
  CHECK(code("lost", {"--allow", "missing"}) == 0);
  CHECK(code("other", {"--allow", "cpus"}) == 0);
  const auto all = run_program("gonogo", {"compare", files.file("base.json"), files.file("same.json"), "--all"});
  CHECK(all.out.find("unchanged  k ") != std::string::npos);
}

TEST_CASE("gonogo export writes each form, says what it left out, and asks for one", "[export]") {
  const Files files;
  const auto ran =
      run_program("gonogo", {"export", kSamples + "google-base.json", "--google", files.file("g.json"), "--bencher",
                             files.file("b.json"), "--action-smaller", files.file("s.json"), "--action-bigger", "-"});
  CHECK(ran.code == 0);
  CHECK(record::parse_strict(ran.out, "stdout").size() == 4);
  CHECK(ran.err.find("--google: left out: broken real_time: failed") != std::string::npos);
  for (const char* name : {"g.json", "b.json", "s.json"})
    CHECK(!record::parse_strict(tests::text_of(files.file(name)), name).empty());
  CHECK(run_program("gonogo", {"compare", files.file("g.json"), files.file("g.json")}).code == 0);
  CHECK(run_program("gonogo", {"export", kSamples + "google-base.json"}).code == 2);
  CHECK(run_program("gonogo", {"export", kSamples + "hyperfine-base.json", "--action-bigger", "-"}).code == 4);
}
