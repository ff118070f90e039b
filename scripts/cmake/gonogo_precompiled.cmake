# Precompiled headers: the standard library, fmt, JSON and Catch2 are most of what a C++ unit here costs to read. Three
# sets, since users of one must share its options: "hot" for measured code (the build type's optimisation), "cold" for
# the rest (-O1), "test" for tests. GONOGO_PRECOMPILE=OFF (the debug preset) proves that every unit names what it uses.
set(GONOGO_COLD_OPTIONS "$<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>")
set(standard_headers <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <functional> <map> <memory> <optional>
    <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)
set(GONOGO_PRECOMPILED_hot ${standard_headers})
set(GONOGO_PRECOMPILED_cold ${standard_headers} <nlohmann/json.hpp>)
set(GONOGO_PRECOMPILED_test ${standard_headers} <nlohmann/json.hpp> <tests/catch.hpp>)

# gonogo_precompile(TARGET hot|cold|test): TARGET compiles with that set.
function(gonogo_precompile target set)
  if(NOT set STREQUAL "hot")
    target_compile_options(${target} PRIVATE "${GONOGO_COLD_OPTIONS}")
  endif()
  if(NOT GONOGO_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET gonogo_precompiled_${set})
    add_library(gonogo_precompiled_${set} OBJECT "${PROJECT_SOURCE_DIR}/scripts/cmake/precompiled.cpp")
    target_link_libraries(gonogo_precompiled_${set} PRIVATE gonogo_settings gonogo_warnings)
    if(NOT set STREQUAL "hot")
      target_compile_options(gonogo_precompiled_${set} PRIVATE "${GONOGO_COLD_OPTIONS}")
    endif()
    target_precompile_headers(gonogo_precompiled_${set} PRIVATE ${GONOGO_PRECOMPILED_${set}})
  endif()
  target_precompile_headers(${target} REUSE_FROM gonogo_precompiled_${set})
endfunction()
