#include "kernels/int4_matmul/cuda/mma.cuh"

template void gonogo::kernels::int4_matmul::cuda::launch_mma<__half, gonogo::kernels::int4_matmul::cuda::MmaWide>(
    const Problem&, const MmaArgs&, Overlap, core::StreamRef);
