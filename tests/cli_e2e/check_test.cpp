// check_model and check_cases, whole: counts and exit codes, for what is right, refused and wrong.
#include <nlohmann/json.hpp>
#include <filesystem>
#include <fstream>

#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/cli_e2e/program.hpp"
#include "tests/onnx/proto_builder.hpp"

using gonogo::record::Json;
using gonogo::tests::Folder;
using gonogo::tests::Ran;
using gonogo::tests::run_program;

namespace {

void ends(const Ran& ran, int code, const std::string& counts) {
  CAPTURE(ran.out, ran.err);
  CHECK(ran.code == code);
  CHECK(ran.err.empty());
  CHECK(ran.out.ends_with(counts));
}

void refused(const std::string& program, const std::vector<std::string>& arguments, const std::string& says) {
  const Ran ran = run_program(program, arguments);
  CAPTURE(program, arguments, ran.err);
  CHECK(ran.code == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err.find(says) != std::string::npos);
}

/// x of two floats, transposed: itself.
void write_cases(const Folder& folder, const std::vector<std::string>& lines) {
  for (const std::string op : {"Transpose", "Nonesuch"}) {
    gonogo::tests::ModelBuilder builder;
    builder.input("x", 1, {"2"}).output("y", 1, {"2"});
    builder.node(op, {"x"}, {"y"});
    std::ofstream(folder.file(op + ".onnx"), std::ios::binary) << builder.bytes();
  }
  std::ofstream cases(folder.file("cases.jsonl"));
  for (const auto& line : lines) cases << line << '\n';
}

std::string case_line(const std::string& op, const std::string& expect) {
  return R"({"tag": ")" + op + R"(", "model": ")" + op + R"(.onnx", "feeds": {"x": ["f32", [2], [1, 2]]}, "expect": )" +
         expect + "}";
}

}  // namespace

TEST_CASE("check_cases counts right, refused and wrong, and exits 4 for the wrong alone") {
  const Folder folder;
  const std::string right = R"({"y": ["f32", [2], [1, 2]]})", wrong = R"({"y": ["f32", [2], [1, 3]]})";
  write_cases(folder, {case_line("Transpose", right), case_line("Nonesuch", right)});
  const Ran sound = run_program("check_cases", {folder.path().string()});
  ends(sound, 0, "right 1\nrefused 1\nwrong 0\n");
  CHECK(sound.out.find("Nonesuch: refused: ") != std::string::npos);
  CHECK(sound.out.find("Transpose: ") == std::string::npos);
  const Ran verbose = run_program("check_cases", {folder.path().string(), "--verbose"});
  CHECK(verbose.out.find("Transpose: right\n") != std::string::npos);

  write_cases(folder, {case_line("Transpose", right), case_line("Transpose", wrong)});
  const Ran broken = run_program("check_cases", {folder.path().string()});
  ends(broken, 4, "right 1\nrefused 0\nwrong 1\n");
  CHECK(broken.out.find("Transpose: wrong: ") != std::string::npos);
}

TEST_CASE("check_model exits 4 when a recorded logit is another, and 0 when the model is refused") {
  const Folder folder;
  const auto model = folder.file("model");
  REQUIRE(run_program("make_model", {"--preset", "tiny", "--layers", "1", "--out", model}).code == 0);
  const Ran decoded =
      run_program("decode", {"--model", model, "--prompt-ids", "1,2,3", "--tokens", "1", "--json", "-"});
  REQUIRE(decoded.code == 0);
  const auto step = Json::parse(decoded.out)["steps"][0];
  const std::vector<double> zeros(4096, 0.0);
  std::ofstream(model + "/reference.json")
      << Json{{"prompt", {1, 2, 3}},
              {"tokens", {step["id"]}},
              {"steps", Json::array({{{"margin", step["top1_top2_gap"]}, {"logits", zeros}}})}};
  const Ran wrong = run_program("check_model", {model, "--levers", "latest", "--threads", "2"});
  ends(wrong, 4, "right 0\nrefused 0\nwrong 1\n");
  CHECK(wrong.out.find("wrong: reference.json [latest]: ") != std::string::npos);

  std::filesystem::resize_file(model + "/model.onnx.data", 10);
  ends(run_program("check_model", {model}), 0, "right 0\nrefused 1\nwrong 0\n");
}

TEST_CASE("the checking programs refuse a wrong command line like all others") {
  const Folder folder;
  const auto here = folder.path().string();
  for (const std::string program : {"check_model", "check_cases"}) {
    refused(program, {}, "DIR");
    refused(program, {""}, "DIR");
    refused(program, {folder.file("none")}, "none");
    refused(program, {here}, here);
    refused(program, {here, "--verbos"}, "--verbose");
    refused(program, {here, "--int8-activations", "maybe"}, "on, off");
  }
  refused("check_cases", {here, here}, "unexpected argument");
  refused("check_model", {here, "--levers", "latst"}, "did you mean 'latest'");
  refused("check_model", {here, "--levers", "before,before"}, "twice");
  refused("check_model", {here, "--threads", "-1"}, "-1");
  refused("check_model", {here, "--threads", "two"}, "two");
}
