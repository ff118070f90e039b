# Tests of the CUDA kernels: built against the CUDA runtime here and against the host emulation in tests/simt.
set(GONOGO_KERNEL_TESTS gpu_test.cpp attention_case.cpp attention_test.cpp dense_case.cpp dense_test.cpp embedding_test.cpp int4_case.cpp
  int4_mma_test.cpp int4_portable_test.cpp norm_test.cpp pointwise_test.cpp rope_test.cpp sample_test.cpp)
