#include "kernels/int4_matmul/cuda/tiled.cuh"

template void gonogo::kernels::int4_matmul::cuda::launch_tiled<float>(const Problem&, const Args&, core::StreamRef);
