#include "kernels/int4_matmul/cuda/tiled.cuh"

template void gonogo::kernels::int4_matmul::cuda::launch_tiled<__nv_bfloat16>(const Problem&, const Args&,
                                                                              core::StreamRef);
