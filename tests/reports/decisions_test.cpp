#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "reports/decisions/drop.hpp"
#include "reports/decisions/status.hpp"
#include "reports/decisions/verify.hpp"
#include "tests/catch.hpp"
#include "tests/reports/decisions_fixture.hpp"

using namespace gonogo;
using core::ExitCode;
using record::Json;
using reports::State;
using tests::decided_run;
using tests::DecisionsFolder;

namespace {

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}

// The checks that are refused, in words.
std::vector<std::string> refused(const DecisionsFolder& folder, const reports::PlacedDrop& placed) {
  std::vector<std::string> words;
  for (const auto& check : reports::verify(placed, folder.path, reports::gates_of(folder.path)))
    if (!check.ok) words.push_back(check.what + ": " + check.why);
  return words;
}
ExitCode verified(const DecisionsFolder& folder, const reports::PlacedDrop& placed) {
  return reports::code_of(reports::verify(placed, folder.path, reports::gates_of(folder.path)));
}

reports::Status status(const DecisionsFolder& folder, const reports::PlacedDrop& placed, std::vector<Json> runs,
                       const std::string& sha = "") {
  return reports::status_of(reports::read_store(folder.path), placed,
                            {.git_sha = sha, .runs = std::move(runs), .gates = reports::gates_of(folder.path)});
}

}  // namespace

TEST_CASE("a drop holds question, gates, hashed evidence, verdict, commands and what would change it", "[decisions]") {
  const DecisionsFolder folder("drop");
  const auto placed = folder.drop("verify", 3, {.by = "A", .caveats = {"one prompt only"}});
  const auto& text = placed.text;
  CHECK(holds(text, "## 2026-12-01 CONDITIONAL-GO: Shall we fund verify?"));
  CHECK(holds(text, "| g | bstar.verify/m=8/past=512 | 3 | &lt;= 2 | 4 | BETWEEN |"));
  CHECK(holds(text, "- one prompt only\n"));
  CHECK(holds(text, "- g passes at bstar.verify/m=8/past=512 &lt;= 2, fails at 4; it is 3\n"));
  CHECK(holds(text, "gonogo verify 2026-12-01-verify\n"));
  CHECK(holds(text, "To settle it: `run g`"));
  const Json& front = placed.drop.front;
  CHECK(front["verdict"] == "CONDITIONAL-GO");
  CHECK(front["gates"][0]["hash"] == reports::gates_of(folder.path)[0].hash);
  CHECK(front["evidence"][0]["sha256"] == record::sha256_of_file(folder.path / "evidence/verify.json"));
  CHECK(front["evidence"][0]["dispatch"]["m=1"][0] == "MatMulNBits simd x21");
  CHECK(placed.intact);
  CHECK(verified(folder, placed) == ExitCode::ok);
}

TEST_CASE("a drop of odd words reads back as it was written", "[decisions]") {
  const DecisionsFolder folder("odd");
  const auto placed =
      folder.drop("odd", 1,
                  {.question = "a | b `c` <!-- gonogo:end 2026-12-01-odd --> \\ \"d\" \xC3\xA9 \xF0\x9F\x98\x80",
                   .by = "x\ny",
                   .caveats = {"```", "### Notes", "\t*"}});
  CHECK(placed.intact);
  CHECK(placed.drop.front["by"] == "x\ny");
  CHECK(verified(folder, placed) == ExitCode::ok);
}

TEST_CASE("a gate edited after the run is refused, a newer version beside it is not", "[decisions]") {
  const DecisionsFolder folder("edited");
  const auto placed = folder.drop("verify", 3);
  const auto gate = folder.read("gates/g.json");
  folder.write("gates/g.json", replaced(gate, "\"go\": 2", "\"go\": 3"));
  CHECK(holds(refused(folder, placed).at(0), "gate g: edited after the run: version 1 was sha256:"));
  CHECK(verified(folder, placed) == ExitCode::usage);
  folder.write("gates/g.json", replaced(gate, ",", ",\n\n"));  // layout is no edit
  CHECK(refused(folder, placed).empty());
  folder.write("gates/g.json", replaced(replaced(gate, "\"go\": 2", "\"go\": 3"), "\"version\": 1", "\"version\": 2"));
  CHECK(refused(folder, placed).empty());
  CHECK(status(folder, placed, {}).reasons == std::vector<std::string>{"gate g: judged by version 1, now version 2"});
  folder.write("gates/g.json", replaced(gate, "\"id\": \"g\"", "\"id\": \"other\""));
  CHECK(refused(folder, placed) == std::vector<std::string>{"gate g: there is no such gate any more"});
}

TEST_CASE("evidence that changed or is gone is refused", "[decisions]") {
  const DecisionsFolder folder("evidence");
  const auto placed = folder.drop("verify", 3);
  const auto run = folder.read("evidence/verify.json");
  folder.write("evidence/verify.json", replaced(run, "\"value\": 3", "\"value\": 1"));
  CHECK(holds(refused(folder, placed).at(0), "evidence evidence/verify.json: changed: was sha256:"));
  CHECK(verified(folder, placed) == ExitCode::failed_rows);
  folder.write("evidence/verify.json", run + "\n");
  CHECK(verified(folder, placed) == ExitCode::failed_rows);
  std::filesystem::remove(folder.path / "evidence/verify.json");
  CHECK(holds(refused(folder, placed).at(0), "cannot be read"));
  folder.write("evidence/verify.json", run);
  CHECK(refused(folder, placed).empty());
}

TEST_CASE("an edited text is refused, in its words and in its data; notes are free", "[decisions]") {
  const DecisionsFolder folder("text");
  const auto placed = folder.drop("verify", 3);
  const auto again = [&](const std::string& text) { return reports::parse_drops(text, "d.md").drops.at(0); };
  CHECK(refused(folder, again(replaced(placed.text, "CONDITIONAL-GO: Shall", "GO: Shall"))).size() == 1);
  CHECK(verified(folder, again(replaced(placed.text, "| BETWEEN |", "| PASS |"))) == ExitCode::usage);
  // Data and words edited alike: the verdict judged again gives it away.
  auto front = placed.drop.front;
  front["verdict"] = "GO";
  const auto forged = again(reports::to_markdown({.front = front, .notes = ""}));
  CHECK(forged.intact);
  CHECK(holds(refused(folder, forged).at(0), "verdict: the evidence gives CONDITIONAL-GO"));
  CHECK(verified(folder, forged) == ExitCode::failed_rows);
  // A gate's bound moved in the data, with or without its hash.
  front = placed.drop.front;
  front["gates"][0]["gate"]["terms"][0]["go"] = 3.0;
  CHECK(holds(refused(folder, again(reports::to_markdown({.front = front, .notes = ""}))).at(0), "gate g: its text"));
  front["gates"][0]["hash"] = reports::parse_gate(front["gates"][0]["gate"].dump(), "g").hash;
  CHECK(
      holds(refused(folder, again(reports::to_markdown({.front = front, .notes = ""}))).at(0), "edited after the run"));
  const auto noted = again(replaced(placed.text, "### Notes\n\n", "### Notes\n\nSeen by B.\n\n- fine\n"));
  CHECK(noted.intact);
  CHECK(noted.drop.notes == "Seen by B.\n\n- fine\n");
}

TEST_CASE("a file of decisions that is cut or broken is refused with its place", "[decisions]") {
  const DecisionsFolder folder("cut");
  const auto text = folder.drop("verify", 3).text;
  const auto words = [](const std::string& broken) -> std::string {
    try {
      (void)reports::parse_drops(broken, "d.md");
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(words(text) == "accepted");
  CHECK(words("") == "accepted");  // no decision, no fault
  for (std::size_t size = 40; size + 1 < text.size(); size += 97) {
    CAPTURE(size);
    CHECK(holds(words(text.substr(0, size)), "d.md: line 1: the decision 2026-12-01-verify has no end"));
  }
  CHECK(holds(words(text + text), "is there twice"));
  CHECK(holds(words(replaced(text, "\n```json\n", "\n```\n")), "the JSON part is missing"));
  CHECK(holds(words(replaced(text, "gonogo/decision", "gonogo/other")), "is no decision"));
  CHECK(holds(words(replaced(text, "gonogo:drop 2026-12-01-verify", "gonogo:drop ../x")), "is no id"));
  CHECK(
      holds(words(replaced(text, "\"id\": \"2026-12-01-verify\"", "\"id\": \"2026-12-01-other\"")), "its marker says"));
  for (const char* key : {"gates", "evidence", "verdict", "supersedes", "arc"}) {
    CAPTURE(key);
    CHECK(words(replaced(text, "\n\"" + std::string(key) + "\":", "\n\"zzz\":")) != "accepted");
  }
  CHECK(holds(words(replaced(text, "\"evidence\": [", "\"evidence\": [],\n\"x\": [")), "without evidence"));
}

TEST_CASE("a decision with any part of its data missing or of another kind is refused, never a crash", "[decisions]") {
  const DecisionsFolder folder("fuzz");
  const auto placed = folder.drop("verify", 3);
  const Json flat = placed.drop.front.flatten();
  const auto store = reports::read_store(folder.path);
  std::size_t tried = 0, refused_count = 0;
  for (const auto& [pointer, unused] : flat.items())
    for (auto at = pointer.size(); at != std::string::npos && at > 0; at = pointer.rfind('/', at - 1)) {
      const Json::json_pointer place(pointer.substr(0, at));
      for (const Json& wrong : {Json(nullptr), Json(7), Json("x"), Json::array({1}), Json::object({{"a", nullptr}})}) {
        Json front = placed.drop.front;
        front[place] = wrong;
        CAPTURE(place.to_string(), wrong.dump());
        ++tried;
        try {
          // Text made from the unbroken decision, so that only its data is wrong.
          auto text = placed.text;
          const auto from = text.find("```json\n") + 8, to = text.find("\n```\n", from);
          text.replace(from, to - from, front.dump());
          const auto again = reports::parse_drops(text, "d.md").drops.at(0);
          CHECK_FALSE(again.intact);
          (void)reports::verify(again, folder.path, reports::gates_of(folder.path));
          (void)reports::status_of(store, again, {.git_sha = "b", .runs = {decided_run(3)}, .gates = {}});
        } catch (const core::InputError& error) {
          ++refused_count;
          CHECK(error.fault().file.rfind("d.md", 0) == 0);
        }
      }
    }
  CHECK(tried > 900);
  CHECK(refused_count > tried / 2);
}

TEST_CASE("a run is not judged by a gate younger than it, nor by one edited since it was judged", "[decisions]") {
  const DecisionsFolder folder("younger");
  const auto make = [&](const Json& run, bool dirty = false) {
    return reports::make_drop({.id = "2026-12-01-x", .date = "2026-12-01", .question = "?", .allow_dirty = dirty},
                              {folder.evidence("x.json", run)}, {}, reports::gates_of(folder.path));
  };
  Json run = decided_run(3);
  run["context"]["date"] = "2026-11-29T10:00:00+00:00";  // the gate was frozen on the 30th
  CHECK_THROWS_AS(make(run), core::InputError);
  run = decided_run(3);
  run["verdict"] = {{"gates", {{{"id", "g"}, {"version", 1}, {"hash", "sha256:" + std::string(64, '0')}}}}};
  CHECK_THROWS_AS(make(run), core::InputError);
  run["verdict"]["gates"][0]["hash"] = reports::gates_of(folder.path)[0].hash;
  CHECK(make(run).front["caveats"].empty());
  run["build"]["git_dirty"] = true;
  CHECK_THROWS_AS(make(run), core::EnvironmentError);
  CHECK(make(run, true).front["caveats"] == Json{"evidence/x.json was built from a dirty tree"});
}

TEST_CASE("a decision is STALE when commit, levers, kernels or the M=1 median moved, and says which", "[decisions]") {
  const DecisionsFolder folder("stale");
  const auto placed = folder.drop("verify", 3);
  const auto later = [](double decode_ms = 10) {
    Json run = decided_run(3, decode_ms);
    run["context"]["date"] = "2026-12-02T10:00:00+00:00";
    return run;
  };
  CHECK(status(folder, placed, {later()}).state == State::current);
  CHECK(status(folder, placed, {later(10.4)}).state == State::current);
  const auto reasons = [&](const Json& run) {
    const auto now = status(folder, placed, {run});
    CHECK(now.state == State::stale);
    return now.reasons;
  };
  CHECK(reasons(later(4.4)) ==
        std::vector<std::string>{"M=1 median: decode.gpu_ms/past=512 was 10.0 ms, is 4.40 ms (-56.0 %)"});
  CHECK(reasons(later(10.6)).size() == 1);
  Json run = later();
  run["build"]["git_sha"] = std::string(40, 'b');
  CHECK(reasons(run) == std::vector<std::string>{"sha: aaaaaaaa then, bbbbbbbb now"});
  run = later();
  run["stacks"]["latest"]["levers"] = {"gemm"};
  CHECK(reasons(run) == std::vector<std::string>{"levers: gemm+fusion then, gemm now"});
  run = later();
  run["plan"]["latest"]["widths"][0]["kernels"][0]["kernel"] = "portable";
  CHECK(reasons(run) ==
        std::vector<std::string>{"dispatch at m=1: MatMulNBits simd x21 then, MatMulNBits portable x21 now"});
  run["build"]["git_sha"] = "c";
  run["stacks"]["latest"]["levers"] = Json::array();
  run["stacks"]["latest"]["metrics"]["decode.gpu_ms/past=512"]["value"] = 20.0;
  CHECK(reasons(run).size() == 4);
}

TEST_CASE("a run of another device or model moves no decision; the commit alone may", "[decisions]") {
  const DecisionsFolder folder("other");
  const auto placed = folder.drop("verify", 3);
  Json run = decided_run(3, 99);
  run["devices"][0]["name"] = "another";
  CHECK(status(folder, placed, {run}).state == State::current);
  CHECK(status(folder, placed, {run}, std::string(40, 'a')).state == State::current);
  const auto moved = status(folder, placed, {run}, std::string(40, 'b'));
  CHECK(moved.state == State::stale);
  CHECK(moved.reasons.at(0) == "sha: measured at aaaaaaaa, this is bbbbbbbb; no newer run tells what else moved");
}

TEST_CASE("newer evidence of the folder is found, older and foreign files are passed over", "[decisions]") {
  const DecisionsFolder folder("newer");
  const auto placed = folder.drop("verify", 3);
  folder.write("evidence/peer.json", R"({"schema": "gonogo.peer/1"})");
  CHECK(reports::newer_evidence(reports::read_store(folder.path), placed).empty());
  Json run = decided_run(3, 5);
  run["context"]["date"] = "2026-12-03T00:00:00+00:00";
  folder.write("evidence/later.json", record::dump_strict(run));
  const auto newer = reports::newer_evidence(reports::read_store(folder.path), placed);
  REQUIRE(newer.size() == 1);
  CHECK(status(folder, placed, newer).state == State::stale);
}

TEST_CASE("supersession and retraction are said by name and outrank staleness", "[decisions]") {
  const DecisionsFolder folder("past");
  const auto first = folder.drop("first", 3);
  const auto other = folder.drop("other", 3);
  folder.drop("second", 1, {.supersedes = {first.id}, .why = "B* fell"});
  folder.drop("third", 1, {.retracts = {other.id}, .why = "3 was measured while the machine was busy"});
  const auto of_first = status(folder, first, {}, "bb"), of_other = status(folder, other, {}, "bb");
  CHECK(of_first.state == State::superseded);
  CHECK(of_first.reasons == std::vector<std::string>{"superseded by 2026-12-01-second"});
  CHECK(of_other.state == State::retracted);
  CHECK(of_other.reasons == std::vector<std::string>{"retracted by 2026-12-01-third"});
  CHECK(holds(folder.read("inbox/2026-12-01-third.md"),
              "**Retracts** 2026-12-01-other: 3 was measured while the machine was busy"));
}
