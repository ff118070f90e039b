# gonogo_embed(TARGET ACCESSOR FILES...): compiles text files into a target, so that a program needs no path at run time.
# ACCESSOR is a qualified function name, e.g. gonogo::record::embedded_schema; it is declared by the target as
#   std::span<const EmbeddedFile> accessor();      (harness/record/embedded.hpp)
function(gonogo_embed target accessor)
  string(REPLACE "::" "_" stem "${accessor}")
  set(output "${CMAKE_CURRENT_BINARY_DIR}/${stem}.cpp")
  set(files)
  foreach(file ${ARGN})
    get_filename_component(absolute "${file}" ABSOLUTE)
    list(APPEND files "${absolute}")
  endforeach()
  string(REPLACE ";" "|" joined "${files}")
  set(script "${PROJECT_SOURCE_DIR}/scripts/cmake/embed_text.cmake")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DACCESSOR=${accessor}" "-DFILES=${joined}" -P "${script}"
    DEPENDS ${files} "${script}" COMMENT "Embedding ${stem}" VERBATIM)
  target_sources(${target} PRIVATE "${output}")
endfunction()
