# Every GPU test program: name and sources. Built against the CUDA runtime here and against the host emulation in tests/simt.
set(GONOGO_GPU_TESTS int4_portable int4_mma attention)
set(GONOGO_GPU_TEST_int4_portable int4_portable_test.cpp int4_case.cpp)
set(GONOGO_GPU_TEST_int4_mma int4_mma_test.cpp int4_case.cpp)
set(GONOGO_GPU_TEST_attention attention_test.cpp attention_case.cpp)
