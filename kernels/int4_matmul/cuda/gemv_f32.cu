#include "kernels/int4_matmul/cuda/gemv.cuh"

template void gonogo::kernels::int4_matmul::cuda::launch_gemv<float>(const Problem&, const Args&, core::StreamRef);
