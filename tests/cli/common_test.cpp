#include "harness/cli/common.hpp"

#include <filesystem>

#include "tests/catch.hpp"
#include "tests/cli/usage.hpp"
#include "tests/folders.hpp"

using namespace gonogo;
using tests::holds;
using tests::usage;

namespace {
std::string refusal(const cli::CommonOptions& common) {
  return usage([&] { cli::check_outputs(common); });
}
std::string in_build(const char* name) { return (tests::build_folder() / name).string(); }
}  // namespace

TEST_CASE("the common options are declared once for every program", "[cli]") {
  cli::OptionSet options("tool", "A tool.");
  cli::CommonOptions common;
  cli::add_common(options, common);
  const char* words[] = {"tool",      "--json", "-",       "--seed", "7",      "--threads", "2",
                         "--backend", "cpu",    "--label", "x",      "--list", "--dry-run"};
  CHECK(options.parse(13, words) == cli::Parsed::run);
  CHECK(common.json == "-");
  CHECK(common.stdout_is_taken());
  CHECK(common.seed == 7);
  CHECK(common.threads == 2);
  CHECK(common.list);
  CHECK(common.dry_run);
}

TEST_CASE("a negative seed is read as a value and refused as one", "[cli]") {
  cli::OptionSet options("tool", "A tool.");
  cli::CommonOptions common;
  cli::add_common(options, common);
  const char* words[] = {"tool", "--seed", "-5"};
  CHECK(usage([&] { (void)options.parse(3, words); }) == "--seed: wanted at least 0, got -5");
}

TEST_CASE("two outputs to one place are refused", "[cli]") {
  CHECK(refusal({.json = "-", .csv = "-", .md = {}, .label = {}}) == "--json and --csv both write to stdout");
  const auto path = in_build("common_test.out");
  CHECK(refusal({.json = path, .csv = {}, .md = path, .label = {}}) == "--json and --md both write to " + path);
  CHECK(refusal({.json = path, .csv = {}, .md = in_build("./common_test.out"), .label = {}}) != "accepted");
  CHECK(refusal({.json = path, .csv = "-", .md = in_build("other.out"), .label = {}}) == "accepted");
  CHECK(refusal({.json = "/dev/null", .csv = "/dev/null", .md = {}, .label = {}}) == "accepted");
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("an output that cannot be written is refused before measuring", "[cli]") {
  CHECK(holds(refusal({.json = "no_dir/out.json", .csv = {}, .md = {}, .label = {}}), "cannot write no_dir/out.json"));
}
