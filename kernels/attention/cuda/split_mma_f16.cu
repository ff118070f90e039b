#include "kernels/attention/cuda/split_mma.cuh"

template void gonogo::kernels::attention::cuda::launch_split_mma<__half>(const Problem&, const Args&, const Partials&,
                                                                         core::StreamRef);
