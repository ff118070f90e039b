// Only against a device: the host emulation has no cuBLASLt.
#include "kernels/matmul/cuda/cublaslt.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/gpu/dense_case.hpp"

using namespace gonogo;
using namespace gonogo::tests;
using namespace gonogo::kernels::matmul::cuda;
using core::DType;

namespace {

bool library_ready() {
  if (!gpu_ready()) return false;
  try {
    const Lt lt;
    return true;
  } catch (const core::EnvironmentError& error) {
    skip_test(fmt::format("no cuBLASLt: {}", error.what()).c_str());
    return false;
  }
}

}  // namespace

TEST_CASE("cuBLASLt agrees with the double reference in both layouts, with a plan and without", "[gpu][dense]") {
  if (!library_ready()) return;
  const Lt lt;
  const core::Stream stream;
  for (const DType type : {DType::f16, DType::bf16, DType::f32})
    for (const Layout layout : {Layout::n_k, Layout::k_n})
      for (const std::int64_t m : {1, 8, 17}) {
        const Problem p{m, 1032, 1024, type, m == 8 ? DType::f32 : type, layout};
        const DenseCase c = make_dense_case(p, 17);
        const DeviceArray x(c.x, stream), w(c.w, stream);
        DeviceArray y(core::bytes_of(p.output, p.m * p.n), stream);
        const Args args{x.data(), w.data(), y.data()};
        lt.run_transient(p, args, stream);
        check_dense(c, y.download());
        const LtPlan plan(lt, p);
        const DeviceArray workspace(plan.workspace_bytes(), stream);
        const auto before = core::device_allocations();
        check_dense(c, run_all_ways(stream, y, [&] { plan.run(args, workspace.data(), stream); }));
        CHECK(core::device_allocations().allocations == before.allocations);
        CHECK(workspace.guards_intact());
      }
}

TEST_CASE("a transient cuBLASLt call cannot be captured and says so", "[gpu][dense]") {
  if (!library_ready()) return;
  const Lt lt;
  const core::Stream stream;
  const Problem p{1, 64, 64};
  const DenseCase c = make_dense_case(p, 1);
  const DeviceArray x(c.x, stream), w(c.w, stream), y(64 * 4, stream);
  core::GraphCapture capture(stream);
  CHECK_THROWS(lt.run_transient(p, {x.data(), w.data(), y.data()}, stream));
}
