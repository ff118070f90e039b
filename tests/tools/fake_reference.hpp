// The recorded answers that a scripted session would have given: what a check must find right.
#pragma once

#include <vector>

#include "kernels/sample/argmax.hpp"
#include "tests/probes/fake_session.hpp"
#include "tools/reference.hpp"

namespace gonogo::tests {

/// Greedy from `prompt`, with the logits of every answer.
inline tools::Reference recorded_from(engine::Session& session, std::vector<std::int64_t> prompt, int answers) {
  tools::Reference reference;
  reference.file = "reference.json";
  std::vector<std::int64_t> text = prompt;
  const auto step = [&](std::int64_t id) {
    const auto result = session.forward({&id, 1}, engine::Mode::eager, engine::Wanted::all_rows);
    return std::vector<float>(result.logits.begin(), result.logits.end());
  };
  const auto top = [](const std::vector<float>& row) { return kernels::sample::argmax(row).index; };
  std::vector<float> row;
  for (const std::int64_t id : prompt) {
    row = step(id);
    reference.prefill_argmax.push_back(top(row));
  }
  for (int answer = 0; answer < answers; ++answer) {
    reference.logits[answer] = {row.begin(), row.end()};
    reference.ids.push_back(top(row));
    reference.gaps.push_back(static_cast<double>(kernels::sample::top_gap(row)));
    row = step(reference.ids.back());
  }
  reference.prompt = std::move(prompt);
  return reference;
}

}  // namespace gonogo::tests
