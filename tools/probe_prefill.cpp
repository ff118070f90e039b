// How fast is a prompt read?
#include "tools/bench/program.hpp"

int main(int argc, char** argv) {
  using gonogo::bench::Axis;
  return gonogo::bench::run_program(argc, argv,
                                    {"probe_prefill", "How fast is a prompt read?", {Axis::parity, Axis::prefill}});
}
