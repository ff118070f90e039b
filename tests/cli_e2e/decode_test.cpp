// decode, whole: what it prints, and what it refuses before it loads or generates anything.
#include <nlohmann/json.hpp>
#include <fstream>

#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/cli_e2e/program.hpp"

using gonogo::tests::Folder;
using gonogo::tests::Ran;
using gonogo::tests::run_program;

namespace {

Ran decode(std::vector<std::string> arguments, const std::string& prompt = "1,2,3") {
  arguments.insert(arguments.begin(), {"--model", "preset:tiny", "--prompt-ids", prompt});
  return run_program("decode", arguments);
}

void refused(const Ran& ran, const std::string& says) {
  CAPTURE(ran.err, ran.out);
  CHECK(ran.code == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err.find(says) != std::string::npos);
}

std::string ids(std::size_t count) {
  std::string list = "7";
  while (--count > 0) list += ",7";
  return list;
}

}  // namespace

TEST_CASE("decode prints its ids, the same by every stack and mode, and the JSON holds them with gaps and kinds") {
  const Folder folder;
  const Ran ran = decode({"--tokens", "5", "--json", folder.file("out.json")});
  CAPTURE(ran.err);
  REQUIRE(ran.code == 0);
  CHECK(ran.err.empty());
  const auto json = gonogo::record::Json::parse(gonogo::tests::text_of(folder.file("out.json")));
  REQUIRE(json["steps"].size() == 5);
  std::string printed;
  for (const auto& step : json["steps"]) {
    printed += (printed.empty() ? "" : ",") + std::to_string(step["id"].get<int>());
    CHECK(step["top1_top2_gap"].get<double>() >= 0);
    CHECK(step["wall_ms"].get<double>() > 0);
  }
  CHECK(ran.out == printed + "\n");
  CHECK(json["steps"][4]["kind"] == "replay");
  CHECK(decode({"--tokens", "5", "--mode", "eager", "--levers", "before"}).out == ran.out);
  const Ran only = decode({"--tokens", "5", "--json", "-"});
  CHECK(gonogo::record::Json::parse(only.out)["steps"].size() == 5);
}

TEST_CASE("decode refuses a prompt of no ids, of what is no id, and of ids outside the vocabulary") {
  refused(decode({}, ""), "--prompt-ids");
  refused(decode({}, "1,,2"), "--prompt-ids");
  refused(decode({}, "1,2,"), "--prompt-ids");
  refused(decode({}, "one"), "one");
  refused(decode({}, "1.5"), "1.5");
  refused(decode({}, "99999999999999999999"), "99999999999999999999");
  refused(decode({}, "-1"), "-1");
  refused(decode({}, "1,2147483647"), "2147483647");
}

TEST_CASE("a prompt that fills the context gives one token; one id or one token more is refused with the numbers") {
  CHECK(decode({"--context", "8", "--tokens", "1"}, ids(8)).code == 0);
  CHECK(decode({"--context", "8", "--tokens", "4"}, ids(5)).code == 0);
  refused(decode({"--context", "8", "--tokens", "1"}, ids(9)), "8");
  refused(decode({"--context", "8", "--tokens", "5"}, ids(5)), "the context holds 8");
  refused(decode({"--tokens", "0"}), "--tokens");
}

TEST_CASE("decode refuses wrong names and files before it generates") {
  const Folder folder;
  refused(run_program("decode", {"--prompt-ids", "1"}), "--model");
  refused(run_program("decode", {"--model", "preset:tinny", "--prompt-ids", "1"}), "tiny");
  refused(run_program("decode", {"--model", folder.file("none"), "--prompt-ids", "1"}), "none");
  refused(decode({"--levers", "latst"}), "did you mean 'latest'");
  refused(decode({"--mode", "fast"}), "captured, eager");
  refused(decode({"--json", folder.file("none/out.json")}), "none/out.json");
  refused(decode({"--pieces", folder.file("none.txt")}), "none.txt");
  std::ofstream(folder.file("empty.txt")).close();
  refused(decode({"--pieces", folder.file("empty.txt")}), "holds no piece");
}

TEST_CASE("decode writes text where it has pieces") {
  const Folder folder;
  {
    std::ofstream pieces(folder.file("pieces.txt"));
    for (int i = 0; i < 4096; ++i) pieces << "x\n";
  }
  const Ran ran = decode({"--tokens", "2", "--pieces", folder.file("pieces.txt")});
  CAPTURE(ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out.find("\nxxxxx\n") != std::string::npos);
}
