// gonogo pair and calibrate as a user runs them, on a made-up benchmark.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <set>
#include <thread>

#include "harness/record/strict_json.hpp"
#include "reports/pair/journal.hpp"
#include "tests/catch.hpp"
#include "tests/cli_e2e/program.hpp"
#include "tests/folders.hpp"
#include "harness/record/run_record.hpp"

using namespace gonogo;
using tests::Folder;
using tests::Ran;
using Json = record::Json;

namespace {

std::string fake(const Folder& folder, const std::string& more = "") {
  return fmt::format("{}/bin/tests/fake_bench --state {} --noise 0.002 {}", tests::build_folder().string(),
                     folder.file("state"), more);
}

Ran pair(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "pair");
  return tests::run_program("gonogo", arguments);
}

Json json_of(const Folder& folder, const std::string& name) {
  return record::parse_strict(tests::text_of(folder.file(name)), name);
}

std::string count_in(const Folder& folder) { return tests::text_of(folder.file("state")); }

}  // namespace

TEST_CASE("the same command twice raises no alarm; fresh processes, turning order, one record", "[pair]") {
  const Folder folder;
  const auto ran = pair({"--a", fake(folder), "--b", fake(folder), "--blocks", "8", "--journal", folder.file("j"),
                         "--json", folder.file("r.json"), "--md", folder.file("r.md")});
  CAPTURE(ran.out, ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out.rfind("NO REGRESSION", 0) == 0);
  const auto result = json_of(folder, "r.json");
  CHECK(result["verdict"] == "NO REGRESSION");
  REQUIRE(result["runs"].size() == 16);
  std::set<int> pids;
  for (const Json& run : result["runs"]) pids.insert(run["pid"].get<int>());
  CHECK(pids.size() == 16);
  CHECK(result["metrics"][0]["blocks"] == 8);
  CHECK(tests::text_of(folder.file("r.md")).rfind("**NO REGRESSION", 0) == 0);
  CHECK(count_in(folder) == "16");
  CHECK(ran.err.find("[ 16/16]") != std::string::npos);
}

TEST_CASE("a slow-down of 5 % is a regression with exit code 1, a speed-up is none", "[pair]") {
  const Folder folder;
  const auto slower = pair(
      {"--a", fake(folder), "--b", fake(folder, "--effect 0.05"), "--blocks", "8", "--journal", folder.file("slow")});
  CHECK(slower.code == 1);
  CHECK(slower.out.rfind("REGRESSION", 0) == 0);
  const auto faster = pair(
      {"--a", fake(folder, "--effect 0.05"), "--b", fake(folder), "--blocks", "8", "--journal", folder.file("fast")});
  CHECK(faster.code == 0);
  CHECK(faster.out.find("1 improvement") != std::string::npos);
}

TEST_CASE("a drift through the session does not hide a slow-down or invent one", "[pair]") {
  const Folder folder;
  const auto same = pair({"--a", fake(folder, "--drift 0.005"), "--b", fake(folder, "--drift 0.005"), "--blocks", "12",
                          "--journal", folder.file("same")});
  CHECK(same.code == 0);
  const auto slower = pair({"--a", fake(folder, "--drift 0.005"), "--b", fake(folder, "--drift 0.005 --effect 0.05"),
                            "--blocks", "12", "--journal", folder.file("slow")});
  CHECK(slower.code == 1);
}

TEST_CASE("the result goes to a file named in the command as well as to stdout", "[pair]") {
  const Folder folder;
  const auto ran = pair({"--a", fake(folder, "--out {out}") + "; echo chatter", "--b", fake(folder, "--out {out}"),
                         "--blocks", "6", "--journal", folder.file("j")});
  CAPTURE(ran.err);
  CHECK(ran.code == 0);
}

TEST_CASE("a run record's exit code is its verdict and does not spoil the run; a stranger's does", "[pair]") {
  const Folder folder;
  const auto record = fake(folder, "--record --exit-code 3");
  const auto fine = pair(
      {"--a", record, "--b", record, "--blocks", "7", "--json", folder.file("r.json"), "--journal", folder.file("j1")});
  CAPTURE(fine.out, fine.err);
  CHECK(fine.code == 0);
  CHECK(json_of(folder, "r.json")["metrics"].size() == 2);  // the headlines it has
  const auto stranger = fake(folder, "--exit-code 3");
  CHECK(pair({"--a", stranger, "--b", stranger, "--blocks", "6", "--journal", folder.file("j2")}).code == 4);
  const auto partial = fake(folder, "--record --partial --exit-code 3");
  const auto refused = pair({"--a", partial, "--b", partial, "--blocks", "7", "--journal", folder.file("j3")});
  CHECK(refused.code == 4);
  CHECK(refused.err.find("partial record: interrupted") != std::string::npos);
}

TEST_CASE("an interrupted session keeps its runs, says how to go on, and goes on without doing one twice", "[pair]") {
  const Folder folder, whole;
  const auto flag = folder.file("flag");
  const auto command = [&](const Folder& at) {
    return fmt::format("{}; test $(cat {}) -lt 6 || touch {}", fake(at, "--sleep-ms 30"), at.file("state"), flag);
  };
  const std::vector<std::string> start = {"pair",     "--a", command(folder), "--b",           command(folder),
                                          "--blocks", "10",  "--journal",     folder.file("j")};
  const auto cut = tests::run_program("gonogo", start, tests::Interrupt{flag});
  CAPTURE(cut.err);
  CHECK(cut.code == 3);
  CHECK(cut.out.empty());
  CHECK(cut.err.find("to go on: gonogo pair --journal ") != std::string::npos);
  const auto kept = reports::read_journal(folder.file("j")).runs.size();
  CHECK(kept >= 4);
  CHECK(kept < 20);
  const auto resumed = pair({"--journal", folder.file("j"), "--json", folder.file("r.json")});
  CAPTURE(resumed.err);
  CHECK(resumed.code == 0);
  const auto result = json_of(folder, "r.json");
  REQUIRE(result["runs"].size() == 20);
  const auto again = pair({"--journal", folder.file("j"), "--json", folder.file("again.json")});
  CHECK(again.code == 0);
  CHECK(json_of(folder, "again.json")["metrics"] == result["metrics"]);  // finished: judged, not run
  CHECK(std::stoi(count_in(folder)) <= 21);                              // at most the interrupted run was done twice
}

TEST_CASE("a journal whose last line was cut off loses that run alone", "[pair]") {
  const Folder folder;
  const auto journal = folder.file("j");
  CHECK(pair({"--a", fake(folder), "--b", fake(folder), "--blocks", "6", "--journal", journal}).code == 0);
  const auto text = tests::text_of(journal);
  record::write_file(journal, text.substr(0, text.size() - 20));
  const auto ran = pair({"--journal", journal});
  CHECK(ran.code == 0);
  CHECK(ran.err.find("11 of 12 runs are there already") != std::string::npos);
  CHECK(count_in(folder) == "13");
}

TEST_CASE("a plan is not changed once it runs", "[pair]") {
  const Folder folder;
  const auto journal = folder.file("j");
  CHECK(pair({"--a", fake(folder), "--b", fake(folder), "--blocks", "6", "--journal", journal}).code == 0);
  const auto more = pair({"--journal", journal, "--blocks", "12"});
  CHECK(more.code == 2);
  CHECK(more.err.find("blocks 6, this asks for 12") != std::string::npos);
  CHECK(pair({"--a", "other", "--journal", journal}).code == 2);
  CHECK(count_in(folder) == "12");
}

TEST_CASE("a plan that can never fire is refused before anything runs", "[pair]") {
  const Folder folder;
  const auto few = pair({"--a", fake(folder), "--b", fake(folder), "--blocks", "5", "--journal", folder.file("j")});
  CHECK(few.code == 2);
  CHECK(few.err.find("wanted at least 6 blocks") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.file("state")));
  CHECK_FALSE(std::filesystem::exists(folder.file("j")));
  const auto named = pair(
      {"--a", fake(folder), "--b", fake(folder), "--blocks", "6", "--metrics", "x,y", "--journal", folder.file("j")});
  CHECK(named.code == 2);
  CHECK_FALSE(std::filesystem::exists(folder.file("state")));
  // How many a pattern selects is known after the first run, which ends it.
  const auto many = fake(folder, "--rows 30");
  const auto found = pair({"--a", many, "--b", many, "--blocks", "8", "--journal", folder.file("k")});
  CHECK(found.code == 2);
  CHECK(found.err.find("30 metrics") != std::string::npos);
  CHECK(count_in(folder) == "1");
}

TEST_CASE("a crash ends the session with code 4 and its last words; going on repeats that run alone", "[pair]") {
  const Folder folder;
  const auto command = fake(folder, "--fail-at 5");
  const auto ran = pair({"--a", command, "--b", command, "--blocks", "6", "--journal", folder.file("j")});
  CHECK(ran.code == 4);
  CHECK(ran.err.find("run 6 of 12 (") != std::string::npos);
  CHECK(ran.err.find("made to fail") != std::string::npos);
  const auto resumed = pair({"--journal", folder.file("j")});
  CHECK(resumed.code == 0);
  CHECK(resumed.out.find("1 run failed and was done again") != std::string::npos);
  CHECK(count_in(folder) == "13");
}

TEST_CASE("commands that cannot be compared end with code 5, ones without a result with 4", "[pair]") {
  const Folder folder;
  const auto pair_of = [&](const std::string& b, const std::string& journal) {
    return pair({"--a", fake(folder), "--b", b, "--blocks", "6", "--journal", folder.file(journal)});
  };
  const auto elsewhere = pair_of(fake(folder, "--host other"), "j1");
  CHECK(elsewhere.code == 5);
  CHECK(elsewhere.err.find("its host is") != std::string::npos);
  const auto allowed = pair({"--a", fake(folder), "--b", fake(folder, "--host other"), "--blocks", "6", "--allow",
                             "host", "--journal", folder.file("j0")});
  CHECK(allowed.code == 0);
  CHECK(allowed.out.find("differ in host were let through") != std::string::npos);
  CHECK(pair({"--a", "x", "--b", "y", "--allow", "hots"}).code == 2);
  CHECK(pair_of(fake(folder, "--exit-code 5"), "j2").code == 5);
  CHECK(pair_of("true", "j3").code == 4);
  CHECK(pair_of("no-such-command-here", "j4").code == 4);
  CHECK(pair_of("kill -SEGV $$", "j5").code == 4);
  CHECK(pair_of(fake(folder, "--rows 0"), "j6").code == 4);
}

TEST_CASE("a run that takes too long is ended, and nothing it started is left running", "[pair]") {
  const Folder folder;
  const auto late = folder.file("late");
  const auto slow = fmt::format("(sleep 1.5; touch {}) & sleep 60", late);
  const auto ran = pair({"--a", slow, "--b", slow, "--blocks", "6", "--timeout", "0.3", "--journal", folder.file("j")});
  CHECK(ran.code == 4);
  CHECK(ran.err.find("took longer than 0.3 s") != std::string::npos);
  const auto leaves = fmt::format("(sleep 1.5; touch {}) > /dev/null 2>&1 & {}", late, fake(folder));
  CHECK(pair({"--a", leaves, "--b", leaves, "--blocks", "6", "--journal", folder.file("k")}).code == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(2000));
  CHECK_FALSE(std::filesystem::exists(late));
}

TEST_CASE("the GPU is passed on as the only one that is seen", "[pair]") {
  const Folder folder;
  const auto command = fmt::format("test \"$CUDA_VISIBLE_DEVICES\" = GPU-123 && {}", fake(folder));
  CHECK(pair({"--a", command, "--b", command, "--blocks", "6", "--gpu", "GPU-123", "--journal", folder.file("j1")})
            .code == 0);
  CHECK(
      pair({"--a", command, "--b", command, "--blocks", "6", "--gpu", "GPU-4", "--journal", folder.file("j2")}).code ==
      4);
}

TEST_CASE("a calibration writes the floors that pair reads, and they must be this machine's", "[pair]") {
  const Folder folder;
  const auto noise = folder.file("noise.json");
  const auto ran = tests::run_program("gonogo", {"calibrate", "--run", fake(folder, "--rows 2"), "--blocks", "8",
                                                 "--journal", folder.file("c"), "--noise", noise});
  CAPTURE(ran.out, ran.err);
  CHECK(ran.code == 0);
  CHECK(ran.out.rfind("A/A noise of 2 metrics", 0) == 0);
  CHECK(json_of(folder, "noise.json")["metrics"].size() == 2);
  const auto judged = pair({"--a", fake(folder), "--b", fake(folder, "--effect 0.05"), "--blocks", "8", "--noise",
                            noise, "--journal", folder.file("j1")});
  CHECK(judged.code == 1);
  CHECK(judged.out.find("no A/A noise floor") == std::string::npos);
  auto louder = json_of(folder, "noise.json");
  louder["metrics"]["BM_work/0"]["mean_floor"] = 0.04;
  record::write_file(noise, louder.dump());
  CHECK(pair({"--journal", folder.file("j1"), "--noise", noise}).code == 0);
  CHECK(pair({"--journal", folder.file("j1"), "--noise", noise, "--noise-times", "0.5"}).code == 1);
  const auto elsewhere = fake(folder, "--host other");
  CHECK(pair({"--a", elsewhere, "--b", elsewhere, "--blocks", "6", "--noise", noise, "--journal", folder.file("j2")})
            .code == 5);
}

TEST_CASE("a control arm is run in every block and judged beside", "[pair]") {
  const Folder folder;
  const auto ran = pair({"--a", fake(folder), "--b", fake(folder, "--effect 0.05"), "--control", fake(folder),
                         "--blocks", "8", "--journal", folder.file("j"), "--json", folder.file("r.json")});
  CHECK(ran.code == 1);
  CHECK(ran.out.find("The control arm against a") != std::string::npos);
  CHECK(count_in(folder) == "24");
  CHECK(json_of(folder, "r.json")["control"][0]["verdict"] == "unchanged");
}

TEST_CASE("outputs that cannot be written are refused before anything runs", "[pair]") {
  const Folder folder;
  const auto ran = pair({"--a", fake(folder), "--b", fake(folder), "--blocks", "6", "--json",
                         folder.file("missing/r.json"), "--journal", folder.file("j")});
  CHECK(ran.code == 2);
  CHECK_FALSE(std::filesystem::exists(folder.file("state")));
  CHECK(pair({"--a", fake(folder)}).code == 2);
  CHECK(pair({"--blocks", "1e9", "--a", "x", "--b", "y"}).code == 2);
}
