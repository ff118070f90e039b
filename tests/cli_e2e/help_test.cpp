// What holds for every executable.
#include "tests/catch.hpp"
#include "tests/cli_e2e/program.hpp"

using gonogo::tests::run_program;

namespace {
const std::vector<std::string> kPrograms{GONOGO_PROGRAMS};
}

TEST_CASE("every program explains itself on stdout and exits 0") {
  REQUIRE(kPrograms.size() >= 8);
  for (const auto& program : kPrograms) {
    CAPTURE(program);
    const auto ran = run_program(program, {"--help"});
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
    CHECK(ran.out.find(program) != std::string::npos);
    CHECK(ran.out.find("--help") != std::string::npos);
  }
}

TEST_CASE("every program refuses an unknown option by name on stderr with exit code 2") {
  for (const auto& program : kPrograms) {
    CAPTURE(program);
    const auto ran = run_program(program, {"--bakend", "cpu"});
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.find("bakend") != std::string::npos);
  }
}
