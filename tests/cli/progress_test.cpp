#include "harness/cli/progress.hpp"

#include <cstdio>

#include "tests/catch.hpp"

using namespace gonogo;

TEST_CASE("a progress line shows share, rate and remaining time", "[cli]") {
  CHECK(cli::progress_line({.label = "m-scaling", .done = 15, .total = 30, .seconds = 5}) ==
        "m-scaling [############------------] 15/30  3/s  5 s left");
  CHECK(cli::progress_line({.label = "x", .done = 1, .total = 200, .seconds = 1}).find("1/s  3 min 19 s left") !=
        std::string::npos);
  CHECK(cli::progress_line({.label = "x", .done = 1, .total = 7300, .seconds = 1}).find("2 h 01 min left") !=
        std::string::npos);
}

TEST_CASE("a progress line claims no rate and no remaining time it cannot know", "[cli]") {
  CHECK(cli::progress_line({.label = "x", .done = 0, .total = 4, .seconds = 9}) == "x [------------------------] 0/4");
  CHECK(cli::progress_line({.label = "x", .done = 4, .total = 4, .seconds = 2}) ==
        "x [########################] 4/4  2/s");
  CHECK(cli::progress_line({.label = "x", .done = 9, .total = 4, .seconds = 3}) ==
        "x [########################] 9/4  3/s");
  CHECK(cli::progress_line({.label = "x", .done = 6, .total = 0, .seconds = 3}) == "x 6  2/s");
}

TEST_CASE("progress is silent when its stream is no terminal", "[cli]") {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  {
    cli::Progress progress("x", 3, file);
    progress.label("y");
    for (int i = 0; i < 3; ++i) progress.advance();
  }
  std::fflush(file);
  CHECK(std::ftell(file) == 0);
  std::fclose(file);
}
