// Runs a model against its recorded answers: prompt and greedy, width 1 and wider, eager and captured.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "tools/backend.hpp"
#include "tools/outcome.hpp"
#include "tools/reference.hpp"

namespace gonogo::tools {

/// How far a logit may be from the recorded one: relative * largest |logit| of the row + absolute.
/// Source: tests/data/models/README.md, "Tolerances".
struct Tolerance {
  double relative = 1e-4;
  double absolute = 0;
};

/// By the type of the logits, and by whether the model asks for int8 activations (accuracy_level 4) and gets them.
[[nodiscard]] Tolerance tolerance_for(const std::string& io_dtype, bool wants_int8, bool has_int8);

/// Checks one session, from an empty cache, against one reference; what is wrong, a line each; empty when all is right.
/// Widths: captured forwards must give the bits of eager ones of the same width; rows of width-M forwards must be those
/// of width-1 forwards, bit by bit on the cpu backend, within the tolerance elsewhere.
[[nodiscard]] std::vector<std::string> check_session(engine::Session& session, const Reference& reference,
                                                     const Tolerance& tolerance);

struct ModelResult {
  Outcome outcome = Outcome::right;
  std::vector<std::string> lines;  // failures, or the refusal
};

struct ModelCheckOptions {
  std::vector<engine::Stack> stacks;
  bool int8_activations = false;
  int threads = 0;
};

/// Checks a folder under every stack. A model that the engine refuses by an InputError is refused, not wrong.
[[nodiscard]] ModelResult check_model(const std::filesystem::path& folder, const std::vector<Reference>& references,
                                      const ModelCheckOptions& options, const Backend& backend);

}  // namespace gonogo::tools
