#include "engine/capture/census.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace gonogo::engine::capture {

Census census(const Entry& entry, std::span<const StepInfo> steps) {
  Census result;
  std::map<std::tuple<std::string, std::string, std::string>, int> counts;
  bool in_seams = false;
  for (const Part& part : entry.parts) {
    if (part.seam) {
      const StepInfo& step = steps[static_cast<std::size_t>(part.first)];
      ++counts[{step.op, std::string(name_of(*part.seam)), step.kernel}];
      ++result.seams;
      if (!in_seams) ++result.seam_runs;
    } else {
      ++result.segments;
      result.recorded_steps += part.last - part.first;
    }
    in_seams = part.seam.has_value();
  }
  for (const auto& [what, count] : counts)
    result.by_op.push_back({std::get<0>(what), std::get<1>(what), std::get<2>(what), count});
  return result;
}

std::string to_string(const std::vector<SeamCount>& seams) {
  std::string text;
  for (const SeamCount& seam : seams)
    text += fmt::format("{}{}[{}] x {}", text.empty() ? "" : ", ", seam.op, seam.reason, seam.count);
  return text.empty() ? "none" : text;
}

}  // namespace gonogo::engine::capture
