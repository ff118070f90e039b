#include "kernels/int4_matmul/cuda/gemv.cuh"

template void gonogo::kernels::int4_matmul::cuda::launch_gemv<__nv_bfloat16>(const Problem&, const Args&,
                                                                             core::StreamRef);
