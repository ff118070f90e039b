#include "reports/gates/gate.hpp"

#include <unistd.h>

#include <filesystem>

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"
#include "reports/gates/metric_path.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/reports/gate_texts.hpp"

using namespace gonogo;
using reports::parse_gate;
using tests::gate_text;
using tests::term_text;
namespace fs = std::filesystem;

namespace {

const std::string kTerm = term_text("bstar.verify/m=8", "<=", "2", R"(, "no_go": 4)");

std::string refusal(const std::string& text) {
  try {
    (void)parse_gate(text, "g.json");
  } catch (const core::InputError& error) {
    CHECK(error.code() == core::ExitCode::usage);
    return error.what();
  }
  return "accepted";
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  REQUIRE(text.find(from) != std::string::npos);
  return text.replace(text.find(from), from.size(), to);
}
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("the shipped gates are read from inside the program and from their folder alike", "[gates]") {
  const auto shipped = reports::shipped_gates();
  const auto on_disk = reports::load_gates(tests::source_folder() / "decisions" / "gates");
  REQUIRE(shipped.size() >= 5);
  REQUIRE(shipped.size() == on_disk.size());
  for (std::size_t i = 0; i < shipped.size(); ++i) {
    CHECK(shipped[i].id == on_disk[i].id);
    CHECK(shipped[i].hash == on_disk[i].hash);
    CHECK_FALSE(shipped[i].terms.empty());
  }
}

TEST_CASE("a gate holds what its file says", "[gates]") {
  const auto gate = parse_gate(gate_text(term_text("bstar.verify/m={m}/past={past}", "<=", "2", R"(, "no_go": 4)"),
                                         R"("parameters": {"m": 8, "past": "each"}, "timing": true, "min_samples": 6,
                                            "requires": {"device": "cuda", "model": "glm", "levers": ["gemm"]}, )"),
                               "g.json");
  CHECK(gate.parameters == std::map<std::string, std::string>{{"m", "8"}, {"past", "each"}});
  CHECK(gate.timing);
  CHECK(gate.min_samples == 6);
  CHECK(gate.requires_.device == "cuda");
  CHECK(gate.requires_.models == std::vector<std::string>{"glm"});
  CHECK(gate.requires_.levers == std::vector<std::string>{"gemm"});
  CHECK(gate.terms[0].go.number == 2);
  CHECK(gate.terms[0].no_go->number == 4);
  CHECK(gate.experiment.command == "run g");
}

TEST_CASE("a gate's hash follows its content and not its layout", "[gates]") {
  const auto text = gate_text(kTerm);
  const auto hash = parse_gate(text, "g.json").hash;
  CHECK(parse_gate(
            replaced(text, R"("version": 1, "frozen": "2026-11-30")", "\"frozen\":\n \"2026-11-30\", \"version\":1"),
            "g.json")
            .hash == hash);
  CHECK(parse_gate(replaced(text, "\"go\": 2", "\"go\": 2.5"), "g.json").hash != hash);
  CHECK(hash.size() == std::string("sha256:").size() + 64);
}

TEST_CASE("an unknown key is refused with the nearest match", "[gates]") {
  CHECK(holds(refusal(gate_text(kTerm, R"("qestion": "?", )")),
              "g.json: qestion: the key is unknown (did you mean question?)"));
  CHECK(holds(refusal(gate_text(replaced(kTerm, "\"no_go\"", "\"nogo\""))),
              "terms[0].nogo: the key is unknown (did you mean no_go?)"));
  CHECK(holds(refusal(gate_text(kTerm, R"("requires": {"devise": "cpu"}, )")),
              "requires.devise: the key is unknown (did you mean device?)"));
  CHECK(holds(refusal(gate_text(term_text("a", "<=", R"({"metric": "b", "pluss": 1})"))), "terms[0].go.pluss"));
  CHECK(holds(refusal(gate_text(kTerm, R"("smaples": 5, )")), "smaples: the key is unknown"));
}

TEST_CASE("a gate that says too little or nonsense is refused by key path", "[gates]") {
  const auto text = gate_text(kTerm);
  CHECK(refusal(text) == "accepted");
  for (const char* key :
       {"\"schema\"", "\"schema_version\"", "\"id\"", "\"version\"", "\"frozen\"", "\"question\"", "\"terms\"",
        "\"experiment\"", "\"metric\"", "\"unit\"", "\"comparison\"", "\"go\"", "\"command\"", "\"minutes\""}) {
    CAPTURE(key);
    CHECK(refusal(replaced(text, key, "\"zzzzzzzzzz\"")) != "accepted");
  }
  CHECK(holds(refusal(replaced(text, "gonogo/gate", "other")), "is no gate"));
  CHECK(holds(refusal(replaced(text, "\"schema_version\": 1", "\"schema_version\": 2")), "wanted 1, got 2"));
  CHECK(holds(refusal(replaced(text, "\"version\": 1,", "\"version\": 0,")),
              "version: wanted a whole number of at least 1"));
  CHECK(holds(refusal(replaced(text, "2026-11-30", "30.11.2026")), "wanted a date"));
  CHECK(holds(refusal(replaced(text, "\"<=\"", "\"<\"")), "wanted <=, >= or =="));
  CHECK(holds(refusal(replaced(text, "\"go\": 2", "\"go\": \"2\"")), "terms[0].go: wanted an object"));
  CHECK(holds(refusal(replaced(text, "\"go\": 2", "\"go\": null")), "terms[0].go"));
  CHECK(holds(refusal(replaced(text, "\"go\": 2", "\"go\": NaN")), "g.json"));
  CHECK(holds(refusal(replaced(text, "\"go\": 2", "\"go\": 2, \"go\": 9")), "given twice"));
  CHECK(holds(refusal(gate_text("")), "terms: a gate needs at least one term"));
  CHECK(holds(refusal(gate_text("7")), "terms[0]: wanted an object, got 7"));
  CHECK(holds(refusal(gate_text(kTerm, R"("timing": 1, )")), "timing: wanted true or false"));
  CHECK(holds(refusal(gate_text(kTerm, R"("requires": {"device": "tpu"}, )")), "wanted cpu or cuda"));
  CHECK(holds(refusal(gate_text(kTerm, R"("min_samples": 0, )")), "min_samples"));
  CHECK(holds(refusal(gate_text(kTerm, "", "G 1")), "id: wanted lower-case"));
  for (const char* bad : {"", "[]", "{}", "null", "{\"schema\": 1}", "not json"}) {
    CAPTURE(bad);
    CHECK(holds(refusal(bad), "g.json"));
  }
}

TEST_CASE("a band on the wrong side of its go bound is refused", "[gates]") {
  CHECK(holds(refusal(gate_text(term_text("a", "<=", "4", R"(, "no_go": 2)"))), "wrong side of go 4 for <="));
  CHECK(holds(refusal(gate_text(term_text("a", ">=", "0.4", R"(, "no_go": 0.55)"))), "wrong side of go 0.4 for >="));
  CHECK(holds(refusal(gate_text(term_text("a", "==", "1", R"(, "no_go": 0)"))), "an == has no band"));
  CHECK(refusal(gate_text(term_text("a", ">=", "0.55", R"(, "no_go": 0.4)"))) == "accepted");
}

TEST_CASE("a metric path that no record can hold is refused", "[gates]") {
  for (const char* path : {"", "a/", "/a=1", "a/m", "a/m=", "a/=1", "a/past=1/m=2", "a/m=1/m=2", "a//m=1"}) {
    CAPTURE(path);
    CHECK(refusal(gate_text(term_text(path, "<=", "1"))) != "accepted");
  }
}

TEST_CASE("placeholders and parameters must match both ways", "[gates]") {
  CHECK(holds(refusal(gate_text(term_text("a/m={m}", "<=", "1"))), "m of a/m={m} has no value"));
  CHECK(holds(refusal(gate_text(term_text("a/m=1", "<=", "1"), R"("parameters": {"m": 1}, )")),
              "m is used by no metric"));
  CHECK(holds(refusal(gate_text(term_text("a/m={m}", "<=", "1"), R"("parameters": {"m": 1.5}, )")), "parameters.m"));
  CHECK(reports::fill("a/m={m}/past=512", {{"m", "8"}}) == "a/m=8/past=512");
}

TEST_CASE("a folder without gates, with a broken one or with two of one id is refused", "[gates]") {
  const auto folder = fs::temp_directory_path() / ("gonogo_gates_" + std::to_string(::getpid()));
  const auto words = [&]() -> std::string {
    try {
      (void)reports::load_gates(folder);
    } catch (const core::InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(holds(words(), "cannot be read: No such file or directory"));
  fs::create_directories(folder);
  CHECK(holds(words(), "holds no gate"));
  record::write_file(folder / "notes.txt", "no gate");
  record::write_file(folder / "a.json", gate_text(kTerm));
  CHECK(words() == "accepted");
  record::write_file(folder / "b.json", gate_text(kTerm));
  CHECK(holds(words(), "b.json: id: another file has the gate 'g' already"));
  record::write_file(folder / "b.json", "{");
  CHECK(holds(words(), "b.json: line 1"));
  fs::remove_all(folder);
}
