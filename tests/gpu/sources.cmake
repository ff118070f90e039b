# Every GPU test program: name and sources. Built against the CUDA runtime here and against the host emulation in
# tests/simt; those of the second list need a device's own libraries and are built here only.
set(GONOGO_GPU_TESTS int4_portable int4_mma attention norm rope pointwise embedding sample dense)
set(GONOGO_GPU_ONLY_TESTS cublaslt)
set(GONOGO_GPU_TEST_int4_portable int4_portable_test.cpp int4_case.cpp)
set(GONOGO_GPU_TEST_int4_mma int4_mma_test.cpp int4_case.cpp)
set(GONOGO_GPU_TEST_attention attention_test.cpp attention_case.cpp)
set(GONOGO_GPU_TEST_norm norm_test.cpp)
set(GONOGO_GPU_TEST_rope rope_test.cpp)
set(GONOGO_GPU_TEST_pointwise pointwise_test.cpp)
set(GONOGO_GPU_TEST_embedding embedding_test.cpp)
set(GONOGO_GPU_TEST_sample sample_test.cpp)
set(GONOGO_GPU_TEST_dense dense_test.cpp dense_case.cpp)
set(GONOGO_GPU_TEST_cublaslt cublaslt_test.cpp dense_case.cpp)
