// The recorded answers beside a model: reference.json, or golden*.json, in one form.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gonogo::tools {

/// Answer i is what the model says after the prompt and the first i of `ids`; ids[i] is its greedy id.
struct Reference {
  std::filesystem::path file;
  std::vector<std::int64_t> prompt;
  std::vector<std::int64_t> ids;
  std::vector<double> gaps;                            // top-1 minus top-2 of answer i
  std::map<std::int64_t, std::vector<double>> logits;  // whole rows, of some answers
  std::vector<std::int64_t> prefill_argmax;            // one per prompt token; empty when not recorded
};

/// Every reference of a model folder. Throws core::InputError when there is none, or one is malformed.
[[nodiscard]] std::vector<Reference> read_references(const std::filesystem::path& folder);

}  // namespace gonogo::tools
