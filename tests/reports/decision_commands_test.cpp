// arc, drop, verify, status, consolidate, predict, html and import as programs: files, streams, exit codes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/reports/decisions_fixture.hpp"
#include "tests/reports/gonogo_program.hpp"

using namespace gonogo;
namespace fs = std::filesystem;

namespace {

const fs::path kFolder = tests::build_folder() / "decision_commands_test";

tests::Ended run_program(const std::string& arguments) { return tests::run_gonogo(kFolder, arguments); }

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// A fresh folder with the seeds, a run of ours and a gate for it.
void prepare() {
  fs::remove_all(kFolder);
  fs::create_directories(kFolder / "decisions" / "gates");
  REQUIRE(run_program("import seeds -o seeds").code == 0);
  record::write_file(kFolder / "run.json", record::dump_strict(tests::decided_run(3)));
  record::write_file(kFolder / "decisions/gates/g.json",
                     tests::gate_text(tests::term_text(tests::kBstar, "<=", "2", R"(, "no_go": 4)")));
}

std::string today() {
  const auto id = fs::directory_iterator(kFolder / "decisions/inbox")->path().stem().string();
  return id.substr(0, 10);
}

}  // namespace

TEST_CASE("the seeds imported give their own verdicts by exit code", "[gonogo]") {
  prepare();
  CHECK(run_program("verdict seeds/increment-0.json --gates seeds/gates").code == 1);
  CHECK(run_program("verdict seeds/phase-0.json --gates seeds/gates").code == 1);
  CHECK(run_program("verdict seeds/feasibility.json --gates seeds/gates").out.rfind("GATED-GO", 0) == 0);
  CHECK(run_program("verdict seeds/arc-5-split-k-retune.json --gates seeds/gates").out.rfind("CONDITIONAL-GO", 0) == 0);
}

TEST_CASE("none of the 118 rows of the seeds' regression tables is a regression: one mean a side decides nothing",
          "[gonogo]") {
  prepare();
  for (const char* table : {"pr-948", "pr-962"}) {
    CAPTURE(table);
    const auto ended = run_program(fmt::format("compare seeds/{0}.base.json seeds/{0}.head.json", table));
    CHECK(ended.code == 3);
    CHECK(ended.out.rfind("INCONCLUSIVE · 59 not decidable\n", 0) == 0);
    CHECK(holds(ended.out, "one value a side shows no spread: 7 a side are needed"));
  }
}

TEST_CASE("gonogo arc writes table, Markdown, SVG and JSON, and refuses unlike runs with exit 5", "[gonogo]") {
  prepare();
  const std::string runs = "arc seeds/arc-0-before.json seeds/arc-6-gate-up.json";
  const auto ended = run_program(runs + " --md a.md --svg a.svg --json a.json");
  CHECK(ended.code == 0);
  CHECK(holds(ended.out, "BEFORE -> now: glm-4-9b on NVIDIA H200\n"));
  CHECK(holds(ended.out, "÷ 4.06"));
  CHECK(ended.err.empty());
  CHECK(holds(record::read_text(kFolder / "a.md"), "| before | - | 41 | 361 | 10.2 ms | 87.3 ms | 8.76 |"));
  CHECK(record::read_text(kFolder / "a.svg").rfind("<svg xmlns=", 0) == 0);
  CHECK(record::parse_strict(record::read_text(kFolder / "a.json"), "a.json")["rows"].size() == 2);
  const auto data = run_program(runs + " --json -");
  CHECK(record::parse_strict(data.out, "stdout")["rows"][1]["bstar"]["value"] == 2.16);
  const auto unlike = run_program("arc seeds/arc-0-before.json seeds/qwen-3-gate-up.json");
  CHECK(unlike.code == 5);
  CHECK(holds(unlike.err, "different models: glm-4-9b, qwen2.5-14b"));
  CHECK(run_program("arc seeds/arc-0-before.json seeds/qwen-3-gate-up.json --allow model").code == 0);
}

TEST_CASE("a decision is dropped, verified, refused after an edit, goes stale and is consolidated", "[gonogo]") {
  prepare();
  const auto dropped =
      run_program("drop run.json --question 'Shall we fund it?' --topic fund --by A --caveats 'one; two'");
  CHECK(dropped.code == 3);  // the verdict's
  CHECK(dropped.out.rfind("CONDITIONAL-GO: Shall we fund it?", 0) == 0);
  const std::string id = today() + "-fund";
  const fs::path file = kFolder / "decisions/inbox" / (id + ".md");
  const fs::path evidence = kFolder / "decisions/evidence/2026-12-01-cpu-tiny-fund.json";
  CHECK(record::read_text(evidence) == record::read_text(kFolder / "run.json"));
  CHECK(holds(record::read_text(file), "- one\n- two\n"));
  CHECK(run_program("drop run.json --question 'Shall we fund it?' --topic fund").code == 2);  // never overwritten

  const auto verified = run_program("verify " + id);
  CHECK(verified.code == 0);
  CHECK(holds(verified.out, id + ": verified\n"));
  const auto gate = record::read_text(kFolder / "decisions/gates/g.json");
  auto edited = gate;
  edited.replace(edited.find("\"go\": 2"), 7, "\"go\": 3");
  record::write_file(kFolder / "decisions/gates/g.json", edited);
  CHECK(run_program("verify " + id).code == 2);
  record::write_file(kFolder / "decisions/gates/g.json", gate);
  record::write_file(evidence, record::dump_strict(tests::decided_run(1)));
  const auto changed = run_program("verify decisions/inbox");
  CHECK(changed.code == 4);
  CHECK(holds(changed.out, id + ": REFUSED\n"));
  record::write_file(evidence, record::read_text(kFolder / "run.json"));

  auto later = tests::decided_run(3, 5);
  later["context"]["date"] = "2030-01-01T00:00:00+00:00";
  record::write_file(kFolder / "later.json", record::dump_strict(later));
  const auto stale = run_program("status " + id + " --against later.json");
  CHECK(stale.code == 3);
  CHECK(holds(stale.out, "STALE  M=1 median: decode.gpu_ms/past=512 was 10.0 ms, is 5.00 ms (-50.0 %)"));
  CHECK(run_program("status " + id + " --against later.json --tolerance 0.6").code == 0);
  CHECK(run_program("status " + id + " --sha " + std::string(40, 'a')).code == 0);
  CHECK(run_program("status " + id + " --sha " + std::string(40, 'b')).code == 3);

  CHECK(run_program("consolidate --dry-run").code == 0);
  CHECK(fs::exists(file));
  CHECK(run_program("consolidate").code == 0);
  CHECK_FALSE(fs::exists(file));
  CHECK(run_program("verify " + id).code == 0);
  CHECK(run_program("verify decisions/decisions.md").code == 0);

  CHECK(run_program("drop run.json --question 'Again?' --topic again --retracts " + id).code == 2);  // without --why
  CHECK(run_program("drop run.json --question 'Again?' --topic again --retracts 2020-01-01-no --why x").code == 2);
  CHECK(run_program("drop run.json --question 'Again?' --topic again --retracts " + id + " --why wrong").code == 3);
  CHECK(holds(run_program("status " + id).out, "RETRACTED  retracted by " + today() + "-again"));
}

TEST_CASE("gonogo predict tells the draft length to use", "[gonogo]") {
  prepare();
  const auto ended = run_program("predict run.json --acceptance 0.9");
  CHECK(ended.code == 0);
  CHECK(holds(ended.out, "Draft k* = 5 tokens: 1.93 times as fast as plain decoding"));
  CHECK(holds(run_program("predict run.json --acceptance 0.1").out, "Do not draft"));
  const auto data = run_program("predict run.json --histogram 5,3,2 --json -");
  CHECK(record::parse_strict(data.out, "stdout")["rows"].size() == 2);
}

TEST_CASE("gonogo html writes one page and exits by its verdict", "[gonogo]") {
  prepare();
  const auto ended = run_program("html run.json -o r.html --gates decisions/gates --gate g");
  CHECK(ended.code == 3);
  CHECK(ended.out == "r.html: CONDITIONAL-GO\n");
  CHECK(record::read_text(kFolder / "r.html").rfind("<!doctype html>", 0) == 0);
}

TEST_CASE("bad input to any of these is exit 2 with one line on stderr and nothing on stdout", "[gonogo]") {
  prepare();
  record::write_file(kFolder / "cut.json", record::read_text(kFolder / "run.json").substr(0, 3000));
  record::write_file(kFolder / "cut.md", "<!-- gonogo:drop 2026-12-01-x -->\n");
  record::write_file(kFolder / "none.md", "no decision\n");
  for (const char* arguments : {"arc",
                                "arc nothing.json",
                                "arc cut.json",
                                "arc run.json --m 1",
                                "arc run.json --past 7",
                                "arc run.json --gate x",
                                "arc run.json --svg no_dir/a.svg",
                                "arc run.json --allow colour",
                                "drop run.json",
                                "drop cut.json --question q",
                                "drop run.json --question q --gate x",
                                "drop run.json --question q --baseline x",
                                "verify nothing",
                                "verify cut.md",
                                "verify none.md",
                                "verify run.json --gates none",
                                "status nothing",
                                "status x --tolerance -1",
                                "consolidate --decisions nowhere",
                                "consolidate --limit 5",
                                "predict run.json",
                                "predict run.json --acceptance 1.5",
                                "predict run.json --acceptance 0.5 --histogram 1,2",
                                "predict run.json --histogram 1",
                                "predict run.json --histogram 0,0",
                                "predict run.json --histogram 1,x",
                                "predict run.json --acceptance 0.5 --past 9",
                                "predict run.json --acceptance 0.5 --engaged 0",
                                "predict seeds/peer-qwen-onnxruntime.json --acceptance 0.5",
                                "html cut.json",
                                "html run.json -o no_dir/r.html",
                                "import",
                                "import other",
                                "import seeds -o run.json"}) {
    CAPTURE(arguments);
    const auto ended = run_program(arguments);
    CAPTURE(ended.err);
    CHECK(ended.code == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.rfind("gonogo: error: ", 0) == 0);
    CHECK(std::count(ended.err.begin(), ended.err.end(), '\n') == 1);
  }
}
