// All axes in one sweep: parity, M-scaling, capture, seams, prefill, end-to-end, bandwidth share; tables, verdict, run
// record.
#include "tools/bench/program.hpp"

int main(int argc, char** argv) {
  using gonogo::bench::Axis;
  return gonogo::bench::run_program(
      argc, argv,
      {"marlin_bench",
       "Measures an int4 decode engine along every axis and judges it.",
       {Axis::parity, Axis::m_scaling, Axis::capture, Axis::seams, Axis::prefill, Axis::e2e, Axis::dram},
       /*composed=*/true});
}
