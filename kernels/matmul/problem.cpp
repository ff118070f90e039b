#include "kernels/matmul/problem.hpp"

#include <array>
#include <string>

#include "harness/core/error.hpp"
#include "kernels/matmul/portable.hpp"
#include "kernels/matmul/simd.hpp"

namespace gonogo::kernels::matmul {
namespace {

constexpr std::array kKernels = {
    Kernel{"portable", &eligible, &run_portable},
    Kernel{"simd", &eligible, &run_simd},
};

}  // namespace

core::Eligibility eligible(const Problem& p) {
  if (p.m < 0 || p.n < 0 || p.k < 0)
    return core::refuse("extents m, n, k", "not negative",
                        std::to_string(p.m) + ", " + std::to_string(p.n) + ", " + std::to_string(p.k));
  if (p.weights != core::DType::f32 && p.weights != core::DType::f16)
    return core::refuse("weights, one of", "float32, float16", std::string(core::name_of(p.weights)));
  return core::accept();
}

core::Work work(const Problem& p) {
  core::Work work;
  work.weight_bytes = static_cast<std::int64_t>(core::bytes_of(p.weights, p.k * p.n));
  work.activation_bytes = (p.m * p.k + p.m * p.n) * 4;
  work.flops = 2 * p.m * p.n * p.k;
  return work;
}

std::span<const Kernel> kernels() { return kKernels; }

const Kernel& kernel(std::string_view name) {
  for (const Kernel& entry : kKernels)
    if (entry.name == name) return entry;
  throw core::LogicError("a kernel of this name", __FILE__, __LINE__, std::string(name));
}

}  // namespace gonogo::kernels::matmul
