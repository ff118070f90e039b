// Which operators come near the memory's speed?
#include "tools/bench/program.hpp"

int main(int argc, char** argv) {
  using gonogo::bench::Axis;
  return gonogo::bench::run_program(
      argc, argv, {"probe_dram", "Which operators come near the memory's speed?", {Axis::parity, Axis::dram}});
}
