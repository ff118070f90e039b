# Language standard, build type, warnings and sanitizers: what every target shares.
option(GONOGO_BUILD_TESTS "Build the tests" ON)
option(GONOGO_BUILD_BENCH "Build the Google Benchmark suites" ON)
option(GONOGO_PRECOMPILE "Precompile the headers of the standard library and of packages" ON)
set(GONOGO_SANITIZE "" CACHE STRING "Sanitizers for every target, e.g. address,undefined")
set(GONOGO_CUDA "auto" CACHE STRING "auto (when a toolkit is found), on, off")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
# Binaries are carried to other machines beside the libraries they need.
set(CMAKE_BUILD_RPATH "$ORIGIN")

# A compiler cache that another checkout of the same code hits too: paths below this one are hashed as relative ones.
find_program(GONOGO_CCACHE ccache)
if(GONOGO_CCACHE)
  set(GONOGO_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1
      # What ccache wants before it caches precompiled headers and their users (its manual, "Precompiled headers").
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${GONOGO_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${GONOGO_COMPILER_LAUNCHER}")
endif()

add_library(gonogo_warnings INTERFACE)
# Designated initialisers leave defaulted members out on purpose.
target_compile_options(gonogo_warnings INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wno-missing-field-initializers;-Werror>")

add_library(gonogo_settings INTERFACE)
target_include_directories(gonogo_settings INTERFACE "${PROJECT_SOURCE_DIR}")
# Messages name a source file by its place in the repository, wherever that was built.
target_compile_options(gonogo_settings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>")
# Bitwise parity (captured == eager, row r == width 1) must not depend on which loop the compiler contracts.
target_compile_options(gonogo_settings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>")
if(GONOGO_SANITIZE)
  target_compile_options(gonogo_settings INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${GONOGO_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>")
  target_link_options(gonogo_settings INTERFACE -fsanitize=${GONOGO_SANITIZE})
endif()
