// A decision drop: one question, answered by gates on evidence that is held to its hashes. Markdown for people,
// rendered from a JSON part for programs, and free notes. File format: decisions/README.md.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/json.hpp"

namespace gonogo::reports {

using record::Json;

struct Drop {
  Json front;         // schema "gonogo/decision"
  std::string notes;  // free text of its author, kept as it is
};

/// A drop where it stands.
struct PlacedDrop {
  Drop drop;
  std::string id;
  std::string text;     // verbatim, from its first to its last marker line
  std::string file;     // for messages
  bool intact = false;  // the text is what `drop` renders to
};

struct ParsedDrops {
  std::vector<PlacedDrop> drops;
  std::string rest;  // what stands outside of drops
};

[[nodiscard]] std::string to_markdown(const Drop& drop);

/// Throws core::InputError with file and line for a drop without its end, without a JSON part, whose JSON part is no
/// decision, or whose id is not that of its markers or is there twice.
[[nodiscard]] ParsedDrops parse_drops(std::string_view text, const std::string& file);

/// Value, go and no-go of a gate's term as texts that tell them apart; "-" where there is none.
struct TermTexts {
  std::string value, go, no_go;
};
[[nodiscard]] TermTexts texts_of(const Json& term);

/// Lower-case letters and digits, other runs as one dash: "NVIDIA H200" -> "nvidia-h200".
[[nodiscard]] std::string slug(std::string_view text);

}  // namespace gonogo::reports
