// How many tokens a second does a user see?
#include "tools/bench/program.hpp"

int main(int argc, char** argv) {
  using gonogo::bench::Axis;
  return gonogo::bench::run_program(
      argc, argv, {"probe_e2e", "How many tokens a second does a user see?", {Axis::parity, Axis::e2e}});
}
