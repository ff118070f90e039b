#include "kernels/int4_matmul/kernels.hpp"

#include <array>
#include <string>

#include "harness/core/error.hpp"
#include "kernels/int4_matmul/int8.hpp"
#include "kernels/int4_matmul/portable.hpp"
#include "kernels/int4_matmul/simd.hpp"

namespace gonogo::kernels::int4_matmul {
namespace {

std::size_t no_workspace(const Problem&, Threads) { return 0; }
bool never(const Problem&) { return false; }

constexpr std::array kKernels = {
    Kernel{"portable", &eligible, &no_workspace, &run_portable, [](const Problem& p) { return p.m > 1; }, false},
    Kernel{"simd", &eligible_simd, &workspace_simd, &run_simd, &never, false},
    Kernel{"int8", &eligible_int8, &workspace_int8, &run_int8, &never, true},
};

}  // namespace

std::span<const Kernel> kernels() { return kKernels; }

const Kernel& kernel(std::string_view name) {
  for (const Kernel& entry : kKernels)
    if (entry.name == name) return entry;
  throw core::LogicError("a kernel of this name", __FILE__, __LINE__, std::string(name));
}

}  // namespace gonogo::kernels::int4_matmul
