# gonogo_library(NAME [COLD] SOURCES ... [DEPENDS ...]): a static library with the project's settings and warnings.
# COLD: on no measured path, so compiled with -O1 and JSON at hand (gonogo_precompiled.cmake).
function(gonogo_library name)
  cmake_parse_arguments(arg "COLD" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC gonogo_settings ${arg_DEPENDS} PRIVATE $<BUILD_INTERFACE:gonogo_warnings>)
  if(arg_COLD)
    gonogo_precompile(${name} cold)
  else()
    gonogo_precompile(${name} hot)
  endif()
endfunction()

# gonogo_executable(NAME SOURCES ... [DEPENDS ...]): a program in build/bin; its measured code lies in libraries.
function(gonogo_executable name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE gonogo_settings gonogo_warnings ${arg_DEPENDS})
  gonogo_precompile(${name} cold)
endfunction()

# gonogo_test(NAME SOURCES ... [DEPENDS ...] [PROGRAMS ...] [LABELS ...]): one Catch2 program, one CTest test that counts
# its cases (tests/test_main.cpp). PROGRAMS: targets that the tests start; they are built with it.
function(gonogo_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;PROGRAMS;LABELS" ${ARGN})
  add_executable(gonogo_test_${name} ${arg_SOURCES})
  target_link_libraries(gonogo_test_${name} PRIVATE gonogo_settings gonogo_warnings gonogo_test_main ${arg_DEPENDS})
  gonogo_precompile(gonogo_test_${name} test)
  set_target_properties(gonogo_test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/tests")
  if(arg_PROGRAMS)
    add_dependencies(gonogo_test_${name} ${arg_PROGRAMS})
  endif()
  add_test(NAME ${name} COMMAND gonogo_test_${name})
  # Exit code 77: every case in the program skipped itself (say, no GPU), shown as skipped.
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 LABELS "${arg_LABELS}"
                       ENVIRONMENT "GONOGO_TEST_COUNTS=${CMAKE_BINARY_DIR}/test-counts/${name}")
  gonogo_test_needs(${name} gonogo_test_${name})
endfunction()

# Remembers the targets that a CTest test needs, for scripts/test --only: lines "test target ...".
function(gonogo_test_needs test)
  list(JOIN ARGN " " targets)
  set_property(GLOBAL APPEND_STRING PROPERTY GONOGO_TEST_NEEDS "${test} ${targets}\n")
endfunction()
