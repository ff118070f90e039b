// Two kernels and a float32 staging buffer between them, as eager engines did.
#include "kernels/norm/cuda/parts.cuh"

namespace gonogo::kernels::norm::cuda {
namespace {

constexpr int kThreads = 256;

struct Staging {
  float* rows;        // [rows, hidden] s
  float* statistics;  // [rows, 2] mean and inverse
};

template <class T>
__global__ void __launch_bounds__(kThreads) stage_kernel(const Pointers<T> p, const Extents e, const Staging to) {
  __shared__ float scratch[kThreads / 32];
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int row = static_cast<int>(blockIdx.x);
  const int thread = static_cast<int>(threadIdx.x);
  float* staged = to.rows + static_cast<std::int64_t>(row) * e.hidden;
  float total = 0.0f;
  for (int i = thread; i < e.hidden; i += kThreads) {
    const float s = summed(p, e, row, i);
    staged[i] = s;
    total += s;
  }
  const float mean =
      e.layer ? ptx::block_reduce<ptx::Sum, kThreads>(total, scratch) / static_cast<float>(e.hidden) : 0.0f;
  float squares = 0.0f;
  for (int i = thread; i < e.hidden; i += kThreads) {  // the thread's own stores
    const float centred = staged[i] - mean;
    squares = fmaf(centred, centred, squares);
  }
  const float inverse = inverse_of(e, ptx::block_reduce<ptx::Sum, kThreads>(squares, scratch));
  store_statistics(p, row, mean, inverse);
  if (thread == 0) to.statistics[2 * row] = mean, to.statistics[2 * row + 1] = inverse;
}

template <class T>
__global__ void __launch_bounds__(kThreads) scale_kernel(const Pointers<T> p, const Extents e, const Staging from) {
  ptx::let_next_grid_start();
  ptx::wait_for_previous_grid();
  const int row = static_cast<int>(blockIdx.x);
  const float mean = from.statistics[2 * row];
  const float inverse = from.statistics[2 * row + 1];
  for (int i = static_cast<int>(threadIdx.x); i < e.hidden; i += kThreads) {
    const std::int64_t at = static_cast<std::int64_t>(row) * e.hidden + i;
    const float s = from.rows[at];
    if (p.sum != nullptr) p.sum[at] = ptx::from_float<T>(s);
    const float beta = p.beta != nullptr ? weight_at<T>(p.beta, e, i) : 0.0f;
    store(p, e, at, scaled<T>(e, s - mean, inverse, weight_at<T>(p.gamma, e, i), beta));
  }
}

}  // namespace

std::size_t staged_workspace_bytes(const Problem& p) {
  return static_cast<std::size_t>(p.rows * p.hidden + 2 * p.rows) * sizeof(float);
}

void staged(const Problem& p, const Args& args, std::byte* workspace, core::StreamRef stream) {
  const core::Eligibility answer = eligible(p);
  GONOGO_EXPECT(static_cast<bool>(answer), "an eligible problem: " + to_string(answer.reason()));
  GONOGO_EXPECT(workspace != nullptr, "a workspace");
  auto* rows = reinterpret_cast<float*>(workspace);
  const Staging staging{rows, rows + p.rows * p.hidden};
  ptx::by_type(p.type, [&](auto zero) {
    using T = decltype(zero);
    const core::LaunchShape shape{.grid = dim3(static_cast<unsigned>(p.rows)),
                                  .block = dim3(kThreads),
                                  .programmatic = args.overlap == Overlap::with_previous};
    core::launch(stage_kernel<T>, shape, stream, pointers_of<T>(p, args), extents_of(p), staging);
    core::launch(scale_kernel<T>, shape, stream, pointers_of<T>(p, args), extents_of(p), staging);
  });
}

}  // namespace gonogo::kernels::norm::cuda
