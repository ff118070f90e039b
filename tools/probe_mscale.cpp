// How does the wall of a forward grow with its width M, eager and captured?
#include "tools/bench/program.hpp"

int main(int argc, char** argv) {
  using gonogo::bench::Axis;
  return gonogo::bench::run_program(argc, argv,
                                    {"probe_mscale",
                                     "How does the wall of a forward grow with its width M, eager and captured?",
                                     {Axis::parity, Axis::m_scaling}});
}
