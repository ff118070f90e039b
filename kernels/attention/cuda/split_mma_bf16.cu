#include "kernels/attention/cuda/split_mma.cuh"

template void gonogo::kernels::attention::cuda::launch_split_mma<__nv_bfloat16>(const Problem&, const Args&,
                                                                                const Partials&, core::StreamRef);
