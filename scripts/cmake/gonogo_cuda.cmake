# The CUDA toolkit, when GONOGO_CUDA allows it and it is there: sets GONOGO_HAVE_CUDA. Without it nothing of CUDA is built.
set(GONOGO_HAVE_CUDA OFF)
if(NOT GONOGO_CUDA MATCHES "^(auto|on|off)$")
  message(FATAL_ERROR "GONOGO_CUDA is auto, on or off, not '${GONOGO_CUDA}'")
endif()
if(NOT GONOGO_CUDA STREQUAL "off")
  # The toolkit's own installer does not put nvcc on PATH.
  find_program(GONOGO_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATH_SUFFIXES bin PATHS /usr/local/cuda/bin)
  if(GONOGO_NVCC)
    set(CMAKE_CUDA_COMPILER "${GONOGO_NVCC}")
    set(CMAKE_CUDA_ARCHITECTURES OFF)  # architectures are named below: CMake 3.25 does not know 90a
    enable_language(CUDA)
    # CMake 3.25 does not know how nvcc 13 spells C++20.
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
    set(CMAKE_CUDA_STANDARD 20)
    set(CMAKE_CUDA_STANDARD_REQUIRED ON)
    set(CMAKE_CUDA_EXTENSIONS OFF)
    if(GONOGO_CCACHE)
      set(CMAKE_CUDA_COMPILER_LAUNCHER "${GONOGO_COMPILER_LAUNCHER}")
    endif()
    find_package(CUDAToolkit REQUIRED)
    set(GONOGO_HAVE_CUDA ON)
  elseif(GONOGO_CUDA STREQUAL "on")
    message(FATAL_ERROR "GONOGO_CUDA=on, but there is no nvcc on PATH, in CUDA_PATH or in /usr/local/cuda/bin")
  endif()
endif()
message(STATUS "gonogo: CUDA backend ${GONOGO_HAVE_CUDA}")

if(GONOGO_HAVE_CUDA)
  # A binary starts without a driver: cudart is static, and cuBLASLt and NVML are opened at run time.
  add_library(gonogo_cudart INTERFACE)
  target_link_libraries(gonogo_cudart INTERFACE CUDA::cudart_static ${CMAKE_DL_LIBS})

  add_library(gonogo_cuda_settings INTERFACE)
  target_compile_options(gonogo_cuda_settings INTERFACE
    # Keep the list in step with kBuiltFor in harness/core/cuda/device.hpp.
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-gencode arch=compute_80,code=[sm_80,compute_80] -gencode arch=compute_90a,code=sm_90a>"
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-lineinfo --Werror all-warnings>"
    # A spill or local memory is an error, not a surprise in a profile.
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xptxas --warn-on-spills -Xptxas --warn-on-local-memory-usage>"
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Wall,-Wextra,-Wshadow,-Werror>")
endif()

# gonogo_cuda_library(NAME SOURCES ... [DEPENDS ...]): a static library of .cu and .cpp files; only where CUDA is on.
function(gonogo_cuda_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC gonogo_settings ${arg_DEPENDS} gonogo_cudart PRIVATE gonogo_cuda_settings gonogo_warnings)
  target_include_directories(${name} SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
  gonogo_precompile(${name} hot)
endfunction()
