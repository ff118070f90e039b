# Precompiled headers: the standard library, fmt, JSON and Catch2 are most of what a C++ unit here costs to read. Three
# sets, since users of one must share its options: "hot" for measured code (the build type's optimisation), "cold" for
# the rest (-O1), "test" for tests (-O0). GONOGO_PRECOMPILE=OFF (the debug preset) proves that every unit names what it
# uses.
set(standard_headers <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <optional>
    <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)
set(GONOGO_PRECOMPILED_hot ${standard_headers})
set(GONOGO_PRECOMPILED_cold ${standard_headers} <harness/record/json_instance.hpp>)
set(GONOGO_PRECOMPILED_test ${standard_headers} <harness/record/json_instance.hpp> <tests/catch.hpp>)
set(GONOGO_OPTIONS_hot "")
set(GONOGO_OPTIONS_cold "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>")
set(GONOGO_OPTIONS_test "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O0>")

# gonogo_precompile(TARGET hot|cold|test): the C++ of TARGET compiles with that set and its options.
function(gonogo_precompile target set)
  target_compile_options(${target} PRIVATE ${GONOGO_OPTIONS_${set}})
  if(NOT GONOGO_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET gonogo_precompiled_${set})
    add_library(gonogo_precompiled_${set} OBJECT "${PROJECT_SOURCE_DIR}/scripts/cmake/precompiled.cpp")
    target_link_libraries(gonogo_precompiled_${set} PRIVATE gonogo_settings gonogo_warnings)
    target_compile_options(gonogo_precompiled_${set} PRIVATE ${GONOGO_OPTIONS_${set}})
    target_precompile_headers(gonogo_precompiled_${set} PRIVATE ${GONOGO_PRECOMPILED_${set}})
  endif()
  target_precompile_headers(${target} REUSE_FROM gonogo_precompiled_${set})
endfunction()
