// Which operators stay outside a captured forward, and why?
#include "tools/bench/program.hpp"

int main(int argc, char** argv) {
  using gonogo::bench::Axis;
  return gonogo::bench::run_program(
      argc, argv,
      {"probe_seams", "Which operators stay outside a captured forward, and why?", {Axis::parity, Axis::seams}});
}
