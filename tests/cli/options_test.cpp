#include "harness/cli/options.hpp"

#include "tests/catch.hpp"
#include "tests/cli/usage.hpp"

using namespace gonogo;
using tests::holds;
using tests::usage;

namespace {

struct Program {
  std::int64_t device = 0, past = 512;
  double threshold = 0.05;
  std::string backend = "auto", label;
  std::optional<std::string> json;
  std::vector<std::int64_t> m_list{1, 2, 4};
  bool e2e = false;
  cli::OptionSet options{"tool", "A tool."};

  Program() {
    options.integer("--device", device, {0, 7}, "Device");
    options.integer("--past", past, {0, 4096}, "Past");
    options.real("--threshold", threshold, {0, 1}, "Threshold");
    options.choice("--backend", backend, {"auto", "cpu", "cuda"}, "Backend");
    options.text("--label", label, "Label");
    options.text("--json", json, "Output");
    options.axis("--m-list", m_list, {}, "Widths");
    options.flag("--e2e", e2e, "Also end to end");
  }
  cli::Parsed parse(std::vector<const char*> words) {
    words.insert(words.begin(), "tool");
    return options.parse(static_cast<int>(words.size()), words.data());
  }
  std::string refusal(const std::vector<const char*>& words) {
    return usage([&] { (void)parse(words); });
  }
};

}  // namespace

TEST_CASE("options are read in both spellings and others keep their defaults", "[cli]") {
  Program program;
  CHECK(program.parse({"--past", "64", "--m-list=1,8", "--e2e", "--json", "-", "--label", "a b"}) == cli::Parsed::run);
  CHECK(program.past == 64);
  CHECK(program.m_list == std::vector<std::int64_t>{1, 8});
  CHECK(program.e2e);
  CHECK(program.json == "-");
  CHECK(program.label == "a b");
  CHECK(program.device == 0);
}

TEST_CASE("the effective configuration holds every option, given or not", "[cli]") {
  Program program;
  CHECK(program.parse({"--past=64"}) == cli::Parsed::run);
  CHECK(
      program.options.effective().dump() ==
      R"({"device":0,"past":64,"threshold":0.05,"backend":"auto","label":"","json":null,"m-list":[1,2,4],"e2e":false})");
}

TEST_CASE("an unknown option or argument is refused with the nearest match", "[cli]") {
  Program program;
  CHECK(program.refusal({"--bakend", "cuda"}) == "unknown option --bakend (did you mean --backend?)");
  CHECK(Program().refusal({"--pasd=5"}) == "unknown option --pasd (did you mean --past?)");
  CHECK(Program().refusal({"--frobnicate"}) == "unknown option --frobnicate (see --help)");
  CHECK(Program().refusal({"stray"}) == "unexpected argument 'stray' (see --help)");
  CHECK(Program().refusal({"--past", "1", "stray", "--e2e"}) == "unexpected argument 'stray' (see --help)");
  CHECK(holds(Program().refusal({"-x"}), "unknown option -x"));
  CHECK(Program().refusal({"--", "stray"}) == "unexpected argument 'stray' (see --help)");
  CHECK(holds(Program().refusal({""}), "unexpected argument ''"));
}

TEST_CASE("a value may start with a minus sign and is then checked", "[cli]") {
  CHECK(Program().refusal({"--device", "-1"}) == "--device: wanted at least 0, got -1");
  CHECK(Program().refusal({"--device=-1"}) == "--device: wanted at least 0, got -1");
  CHECK(Program().refusal({"--threshold", "-0.05"}) == "--threshold: wanted at least 0, got -0.05");
  CHECK(Program().refusal({"--m-list", "-1"}) == "--m-list: wanted at least 1, got -1");
  CHECK(holds(Program().refusal({"--m-list=4-"}), "'' is not a whole number"));
}

TEST_CASE("wrong numbers are refused by option and text", "[cli]") {
  for (const char* text : {"99999999999999999999", "4294967297", "1e9", "0x10", "10k", "1_000", ""}) {
    CAPTURE(text);
    CHECK(holds(Program().refusal({"--past", text}), "--past: "));
  }
}

TEST_CASE("a missing, repeated or swallowed value is refused", "[cli]") {
  CHECK(holds(Program().refusal({"--past"}), "--past"));
  CHECK(holds(Program().refusal({"--past="}), "--past= has no value after the ="));
  CHECK(Program().refusal({"--json", "--e2e"}) == "--json needs a value, got the option --e2e");
  CHECK(Program().refusal({"--m-list", "--past=3"}) == "--m-list needs a value, got the option --past=3");
  CHECK(Program().refusal({"--past", "1", "--past", "2"}) != "accepted");
  CHECK(Program().refusal({"--e2e=5"}) != "accepted");
  CHECK(Program().refusal({"--e2e=false"}) != "accepted");
}

TEST_CASE("a choice is one of its words", "[cli]") {
  CHECK(Program().refusal({"--backend", "gpu"}) == "--backend: wanted one of auto, cpu, cuda, got 'gpu'");
  Program program;
  CHECK(program.parse({"--backend", "cpu"}) == cli::Parsed::run);
  CHECK(program.backend == "cpu");
}

TEST_CASE("help, version and schema end the program well", "[cli]") {
  CHECK(Program().parse({"--help"}) == cli::Parsed::done);
  CHECK(Program().parse({"-h"}) == cli::Parsed::done);
  CHECK(Program().parse({"--version"}) == cli::Parsed::done);
  CHECK(Program().parse({"--schema"}) == cli::Parsed::done);
}

TEST_CASE("subcommands have options of their own and one must be chosen", "[cli]") {
  struct Reporter {
    std::string run, gates;
    cli::OptionSet options{"gonogo", "Reports."};
    Reporter() {
      auto& verdict = options.command("verdict", "Judge a run");
      verdict.positional("run", run, "The record");
      verdict.text("--gates", gates, "Folder of gates");
      options.command("compare", "Compare runs");
    }
    std::string refusal(std::vector<const char*> words) {
      words.insert(words.begin(), "gonogo");
      return usage([&] { (void)options.parse(static_cast<int>(words.size()), words.data()); });
    }
  };
  Reporter reporter;
  CHECK(reporter.refusal({"verdict", "run.json", "--gates", "g"}) == "accepted");
  CHECK(reporter.options.chosen() == "verdict");
  CHECK(reporter.run == "run.json");
  CHECK(reporter.gates == "g");
  CHECK(Reporter().refusal({}) == "a command is missing: verdict, compare (see --help)");
  CHECK(Reporter().refusal({"verdct"}) == "unknown command 'verdct' (did you mean verdict?)");
  CHECK(Reporter().refusal({"verdict", "run.json", "--gate", "g"}) == "unknown option --gate (did you mean --gates?)");
  CHECK(Reporter().refusal({"verdict", "run.json", "more"}) == "unexpected argument 'more' (see --help)");
  CHECK(holds(Reporter().refusal({"verdict"}), "run is required"));
  CHECK(holds(Reporter().refusal({"verdict", ""}), "run is empty"));
}
