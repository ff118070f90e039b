// Do captured steps stay captured, and can a forward of width M be captured?
#include "tools/bench/program.hpp"

int main(int argc, char** argv) {
  using gonogo::bench::Axis;
  return gonogo::bench::run_program(argc, argv,
                                    {"probe_capture",
                                     "Do captured steps stay captured, and can a forward of width M be captured?",
                                     {Axis::parity, Axis::capture}});
}
