// marlin_bench measures every axis in one sweep and ends with tables, verdict and run record. Under the name of a probe
// (build/bin/probe_* are links to it) it asks that probe's one question.
#include <filesystem>

#include "tools/bench/program.hpp"

namespace gonogo::bench {
namespace {

const Program kComposed{
    "marlin_bench",
    "Measures an int4 decode engine along every axis and judges it.",
    {Axis::parity, Axis::m_scaling, Axis::capture, Axis::seams, Axis::prefill, Axis::e2e, Axis::dram},
    /*composed=*/true};

const Program kProbes[] = {
    {"probe_capture",
     "Do captured steps stay captured, and can a forward of width M be captured?",
     {Axis::parity, Axis::capture}},
    {"probe_mscale",
     "How does the wall of a forward grow with its width M, eager and captured?",
     {Axis::parity, Axis::m_scaling}},
    {"probe_prefill", "How fast is a prompt read?", {Axis::parity, Axis::prefill}},
    {"probe_seams", "Which operators stay outside a captured forward, and why?", {Axis::parity, Axis::seams}},
    {"probe_dram", "Which operators come near the memory's speed?", {Axis::parity, Axis::dram}},
    {"probe_e2e", "How many tokens a second does a user see?", {Axis::parity, Axis::e2e}},
};

/// A copy under any other name is marlin_bench.
const Program& program_called(const std::filesystem::path& name) {
  for (const Program& probe : kProbes)
    if (name.filename() == probe.name) return probe;
  return kComposed;
}

}  // namespace
}  // namespace gonogo::bench

int main(int argc, char** argv) {
  return gonogo::bench::run_program(argc, argv, gonogo::bench::program_called(argc > 0 ? argv[0] : ""));
}
