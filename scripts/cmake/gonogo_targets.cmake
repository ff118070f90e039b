# gonogo_library(NAME SOURCES ... [DEPENDS ...]): a static library with the project's settings and warnings.
function(gonogo_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC gonogo_settings ${arg_DEPENDS} PRIVATE $<BUILD_INTERFACE:gonogo_warnings>)
endfunction()

# gonogo_executable(NAME SOURCES ... [DEPENDS ...]): a program in build/bin.
function(gonogo_executable name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE gonogo_settings gonogo_warnings ${arg_DEPENDS})
endfunction()

# gonogo_test(NAME SOURCES ... [DEPENDS ...] [LABELS ...]): one Catch2 program, one CTest test.
function(gonogo_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  add_executable(gonogo_test_${name} ${arg_SOURCES})
  target_link_libraries(gonogo_test_${name} PRIVATE gonogo_settings gonogo_warnings gonogo_test_main ${arg_DEPENDS})
  target_compile_definitions(gonogo_test_${name} PRIVATE
    GONOGO_SOURCE_DIR="${PROJECT_SOURCE_DIR}" GONOGO_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_compile_options(gonogo_test_${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # what is tested keeps its -O3; compile time counts
  set_target_properties(gonogo_test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/tests")
  add_test(NAME ${name} COMMAND gonogo_test_${name})
  # Exit code 77: every test in the program skipped itself (say, no GPU), shown as skipped.
  set_tests_properties(${name} PROPERTIES TIMEOUT 600 SKIP_RETURN_CODE 77 LABELS "${arg_LABELS}")
endfunction()
