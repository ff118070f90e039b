# Every dependency comes from the distribution's packages; nothing is downloaded and nothing is vendored.
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
# Shared by all, so that all can share precompiled headers.
target_link_libraries(gonogo_settings INTERFACE fmt::fmt OpenMP::OpenMP_CXX)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)

# Highway 1.0 on Debian 12 ships pkg-config files but no config package on every release.
find_library(GONOGO_HWY_LIBRARY hwy REQUIRED)
find_path(GONOGO_HWY_INCLUDE hwy/highway.h REQUIRED)
add_library(gonogo_hwy INTERFACE)
target_include_directories(gonogo_hwy SYSTEM INTERFACE "${GONOGO_HWY_INCLUDE}")
target_link_libraries(gonogo_hwy INTERFACE "${GONOGO_HWY_LIBRARY}")

# Only the message types are needed: libonnx_proto, not the checker and the operator registry of libonnx.
find_library(GONOGO_ONNX_PROTO_LIBRARY onnx_proto REQUIRED)
find_path(GONOGO_ONNX_INCLUDE onnx/onnx_pb.h REQUIRED)
add_library(gonogo_onnx_proto INTERFACE)
target_include_directories(gonogo_onnx_proto SYSTEM INTERFACE "${GONOGO_ONNX_INCLUDE}")
target_compile_definitions(gonogo_onnx_proto INTERFACE ONNX_NAMESPACE=onnx ONNX_ML=1)
target_link_libraries(gonogo_onnx_proto INTERFACE "${GONOGO_ONNX_PROTO_LIBRARY}" protobuf::libprotobuf)

if(GONOGO_BUILD_TESTS)
  find_package(Catch2 REQUIRED)   # 2.13 on Debian 12, 3.4 on Ubuntu 24.04: tests/catch.hpp hides the difference
endif()
if(GONOGO_BUILD_BENCH)
  find_package(benchmark REQUIRED)
endif()
