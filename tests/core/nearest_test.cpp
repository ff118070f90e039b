#include "harness/core/nearest.hpp"

#include <vector>

#include "tests/catch.hpp"

using gonogo::core::nearest;

TEST_CASE("the nearest word is found across a dropped, added, changed or swapped letter", "[core]") {
  const std::vector<std::string> words{"--backend", "--past", "--threads", "--seed"};
  CHECK(nearest("--bakend", words) == "--backend");
  CHECK(nearest("--backkend", words) == "--backend");
  CHECK(nearest("--threats", words) == "--threads");
  CHECK(nearest("--sede", words) == "--seed");
  CHECK(nearest("--past", words) == "--past");
}

TEST_CASE("nothing near is no suggestion", "[core]") {
  const std::vector<std::string> words{"gemm", "attention"};
  CHECK(nearest("fusion", words).empty());
  CHECK(nearest("", words).empty());
  CHECK(nearest("x", {}).empty());
  CHECK(nearest(std::string(1000000, 'a'), words).empty());
}
