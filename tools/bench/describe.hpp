// What could be measured (--list) and what would be (--dry-run).
#pragma once

#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "tools/bench/options.hpp"

namespace gonogo::bench {

/// Presets, stacks, levers, axes.
[[nodiscard]] std::string list_text(const Program& program);

/// Forwards each axis would run, counted from the options: warm-ups as the least there can be.
[[nodiscard]] std::string plan_text(const Options& options);

/// Kernels per operator and width of one stack.
[[nodiscard]] std::string kernels_text(const engine::Session& session, const Options& options);

}  // namespace gonogo::bench
