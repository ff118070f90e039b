// The program itself: streams and exit codes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/record/sample_record.hpp"
#include "tests/reports/gate_texts.hpp"
#include "tests/reports/gonogo_program.hpp"

using namespace gonogo;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = tests::build_folder() / "gonogo_test";

tests::Ended run_program(const std::string& arguments) { return tests::run_gonogo(kFolder, arguments); }

// A run without failed rows; its bstar.verify/m=8/past=512 is 2.16.
void write_run() {
  fs::create_directories(kFolder);
  auto run = tests::sample_record();
  run.rows.pop_back();
  record::write_file(kFolder / "run.json", record::to_text(run));
}

void write_gate(const std::string& name, const std::string& text) {
  fs::create_directories(kFolder / name);
  record::write_file(kFolder / name / "g.json", text);
}

}  // namespace

TEST_CASE("gonogo verdict tells the verdict on stdout and by its exit code", "[gonogo]") {
  write_run();
  const std::string metric = "bstar.verify/m=8/past=512";
  write_gate("pass", tests::gate_text(tests::term_text(metric, "<=", "3")));
  write_gate("fail", tests::gate_text(tests::term_text(metric, "<=", "2")));
  write_gate("between", tests::gate_text(tests::term_text(metric, "<=", "2", R"(, "no_go": 4)")));
  write_gate("missing", tests::gate_text(tests::term_text("not.there", "<=", "2")));
  const auto judged = [&](const std::string& gates) { return run_program("verdict run.json --gates " + gates); };
  CHECK(judged("pass").code == 0);
  CHECK(judged("pass").out.rfind("GO (stack latest)", 0) == 0);
  CHECK(judged("pass").err.empty());
  CHECK(judged("fail").code == 1);
  CHECK(judged("fail").out.rfind("NO-GO (stack latest)", 0) == 0);
  CHECK(judged("between").code == 3);
  CHECK(judged("between").out.rfind("CONDITIONAL-GO", 0) == 0);
  CHECK(judged("missing").code == 3);
  CHECK(judged("missing").out.rfind("GATED-GO", 0) == 0);
  CHECK(run_program("verdict run.json --gates fail --explain").out.find("2.16") != std::string::npos);
}

TEST_CASE("a verdict asked as JSON on stdout is JSON and nothing else", "[gonogo]") {
  write_run();
  write_gate("fail", tests::gate_text(tests::term_text("bstar.verify/m=8/past=512", "<=", "2")));
  const auto ended = run_program("verdict run.json --gates fail --json -");
  CHECK(ended.code == 1);
  CHECK(record::parse_strict(ended.out, "stdout")["verdict"] == "NO-GO");
  CHECK(ended.err.empty());
  CHECK(run_program("verdict run.json --gates fail --json v.json").out.rfind("NO-GO", 0) == 0);
  CHECK(record::parse_strict(record::read_text(kFolder / "v.json"), "v.json")["exit_code"] == 1);
}

TEST_CASE("the shipped gates are judged without any file beside the program", "[gonogo]") {
  write_run();
  const auto ended = run_program("verdict run.json");
  for (const char* id : {"capture-safe", "stable-replay", "fund-verify", "dram-share", "parity"})
    CHECK(ended.out.find(id) != std::string::npos);
  CHECK(ended.code == 3);
}

TEST_CASE("bad input is exit 2 with one line on stderr and nothing on stdout", "[gonogo]") {
  write_run();
  record::write_file(kFolder / "cut.json", record::to_text(tests::sample_record()).substr(0, 2000));
  write_gate("typo", tests::gate_text(tests::term_text("a", "<=", "1"), R"("timming": true, )"));
  for (const char* arguments :
       {"verdict none.json", "verdict cut.json", "verdict run.json --gates none", "verdict run.json --gates typo",
        "verdict run.json --stack nope", "verdict run.json --json no_dir/v.json", "verdict run.json --gate pass",
        "verdict", "", "verdict run.json --baseline x", "verdict run.json --baseline x=none.json"}) {
    CAPTURE(arguments);
    const auto ended = run_program(arguments);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.rfind("gonogo: error: ", 0) == 0);
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  }
}
