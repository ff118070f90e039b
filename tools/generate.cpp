#include "tools/generate.hpp"

#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "kernels/sample/argmax.hpp"

namespace gonogo::tools {
namespace {

GeneratedStep step_of(const engine::ForwardResult& result, std::size_t index) {
  if (!result.all_finite) throw core::ResultError(fmt::format("step {}: a logit is not finite", index));
  const double gap = result.logits.size() >= 2 ? static_cast<double>(kernels::sample::top_gap(result.logits)) : 0;
  return {result.argmax.front(), gap, result.kind, result.times.wall_ns()};
}

}  // namespace

std::vector<GeneratedStep> generate(engine::Session& session, std::span<const std::int64_t> prompt, std::int64_t count,
                                    engine::Mode mode) {
  if (count < 1) throw core::UsageError(fmt::format("tokens: wanted at least 1, got {}", count));
  // The last id is not fed back.
  const auto length = static_cast<std::int64_t>(prompt.size());
  if (length + count - 1 > session.model().context)
    throw core::UsageError(
        fmt::format("a prompt of {} ids and {} new ones make {} tokens in the cache, the context holds {}", length,
                    count, length + count - 1, session.model().context));
  std::vector<GeneratedStep> steps;
  steps.push_back(step_of(session.forward(prompt, engine::Mode::eager, engine::Wanted::last_row), 0));
  while (static_cast<std::int64_t>(steps.size()) < count) {
    const std::int64_t id = steps.back().id;
    steps.push_back(step_of(session.forward({&id, 1}, mode, engine::Wanted::last_row), steps.size()));
  }
  return steps;
}

}  // namespace gonogo::tools
