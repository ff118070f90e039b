// bench_cuda_kernels: Google Benchmark over the decode shapes of glm-4-9b and qwen2.5-14b on a GPU. A result is checked
// before it is timed. Exits 5 with the reason where there is no usable GPU.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "harness/core/error.hpp"
#include "harness/core/exit_code.hpp"
#include "kernels/bench/cuda/bench.hpp"

namespace {

int run() {
  using namespace gonogo;
  kernels::bench::register_int4_matmul();
  kernels::bench::register_attention();
  kernels::bench::register_elementwise();
  kernels::bench::register_dense();
  core::Eligibility usable = core::devices_usable();
  if (usable) usable = core::has_code_for(kernels::bench::device().sm);
  if (!usable) {
    fmt::print(stderr, "bench_cuda_kernels: no usable GPU: {}\n", to_string(usable.reason()));
    return static_cast<int>(core::ExitCode::invalid_environment);
  }
  const core::DeviceFacts& facts = kernels::bench::device();
  benchmark::AddCustomContext("device", facts.name);
  benchmark::AddCustomContext("uuid", facts.uuid);
  benchmark::AddCustomContext("l2_bytes", std::to_string(facts.l2_bytes));
  benchmark::AddCustomContext("peak_bytes_per_second", fmt::format("{:.4g}", kernels::bench::peak_bandwidth()));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return static_cast<int>(gonogo::core::ExitCode::usage);
  try {
    return run();
  } catch (const gonogo::core::EnvironmentError& error) {
    fmt::print(stderr, "bench_cuda_kernels: {}\n", error.what());
    return static_cast<int>(gonogo::core::ExitCode::invalid_environment);
  }
}
