# cmake -DOUTPUT=x.cpp -DACCESSOR=ns::name -DFILES=a|b -P embed_text.cmake: writes the files as raw string literals.
string(REPLACE "|" ";" FILES "${FILES}")
string(REGEX REPLACE "::[^:]+$" "" namespace "${ACCESSOR}")
string(REGEX REPLACE "^.*::" "" function "${ACCESSOR}")
set(entries "")
foreach(file ${FILES})
  file(READ "${file}" text)
  get_filename_component(name "${file}" NAME)
  string(FIND "${text}" ")gonogo\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${file} holds the raw string delimiter )gonogo\"")
  endif()
  string(APPEND entries "    {\"${name}\", R\"gonogo(${text})gonogo\"},\n")
endforeach()
file(WRITE "${OUTPUT}.new" "// Generated from the files named below.
#include \"harness/record/embedded.hpp\"

namespace ${namespace} {
std::span<const gonogo::record::EmbeddedFile> ${function}();
std::span<const gonogo::record::EmbeddedFile> ${function}() {
  static constexpr gonogo::record::EmbeddedFile kFiles[] = {
${entries}  };
  return kFiles;
}
}  // namespace ${namespace}
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
