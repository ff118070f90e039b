# cmake -DOUTPUT=x.cpp -DSOURCE_DIR=... -DCOMPILER=... -P write_build_info.cmake
# Runs at every build: the checkout's commit and whether tracked files differ from it, as the compiled code saw them.
# The file is rewritten only when its text changes, so an unchanged tree recompiles nothing.
set(sha "unknown")
set(dirty "std::nullopt")
find_program(GIT git)
if(GIT)
  set(git "${GIT}" -c "safe.directory=*" -C "${SOURCE_DIR}")
  # A folder inside somebody else's checkout is not this project's commit.
  execute_process(COMMAND ${git} rev-parse --show-prefix OUTPUT_VARIABLE prefix ERROR_QUIET RESULT_VARIABLE no_checkout
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE head ERROR_QUIET RESULT_VARIABLE no_head
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(no_checkout EQUAL 0 AND no_head EQUAL 0 AND prefix STREQUAL "")
    set(sha "${head}")
    execute_process(COMMAND ${git} --no-optional-locks status --porcelain --untracked-files=no OUTPUT_VARIABLE changes
                    ERROR_QUIET RESULT_VARIABLE no_status)
    if(no_status EQUAL 0)
      if(changes STREQUAL "")
        set(dirty "false")
      else()
        set(dirty "true")
      endif()
    endif()
  endif()
endif()
set(text "// Generated at build time.
#include \"harness/record/build_info.hpp\"

namespace gonogo::record {
const BuildInfo& build_info() {
  static const BuildInfo kInfo{
      .git_sha = R\"gonogo(${sha})gonogo\",
      .git_dirty = ${dirty},
      .version = R\"gonogo(${VERSION})gonogo\",
      .compiler = R\"gonogo(${COMPILER})gonogo\",
      .flags = R\"gonogo(${FLAGS})gonogo\",
      .build_type = R\"gonogo(${BUILD_TYPE})gonogo\",
      .sanitize = R\"gonogo(${SANITIZE})gonogo\",
      .libraries = R\"gonogo(${LIBRARIES})gonogo\",
  };
  return kInfo;
}
}  // namespace gonogo::record
")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${OUTPUT}" "${text}")
endif()
