#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/core/error.hpp"
#include "reports/gates/metric_path.hpp"
#include "reports/predict/predict.hpp"

namespace gonogo::reports {
namespace {

std::string chosen_stack(const Json& stacks, const std::string& asked) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : stacks.items()) names.push_back(name);
  if (!asked.empty()) {
    if (!stacks.contains(asked))
      throw core::UsageError(fmt::format("--stack: the record has no '{}': it has {}", asked, fmt::join(names, ", ")));
    return asked;
  }
  if (stacks.contains("latest")) return "latest";
  if (names.size() == 1) return names.front();
  throw core::UsageError(fmt::format("which stack? the record has {} (--stack NAME)", fmt::join(names, ", ")));
}

// Every past of any width of this base.
std::vector<std::string> pasts_of(const Json& metrics, const std::string& base,
                                  const std::vector<std::string>& widths) {
  std::vector<std::string> pasts;
  for (const auto& m : widths)
    for (const auto& past : label_values(metrics, base, "past", "m=" + m))
      if (std::find(pasts.begin(), pasts.end(), past) == pasts.end()) pasts.push_back(past);
  std::stable_sort(pasts.begin(), pasts.end(), [](const auto& a, const auto& b) {
    return std::strtod(a.c_str(), nullptr) < std::strtod(b.c_str(), nullptr);
  });
  return pasts;
}

std::vector<std::string> widths_of(const Json& metrics, const std::string& base) {
  std::vector<std::string> widths;
  for (const auto& [name, unused] : metrics.items())
    if (const auto path = parse_metric_path(name); path && path->base == base && path->labels.contains("m"))
      if (std::find(widths.begin(), widths.end(), path->labels.at("m")) == widths.end())
        widths.push_back(path->labels.at("m"));
  std::sort(widths.begin(), widths.end(), [](const auto& a, const auto& b) {
    return std::strtoll(a.c_str(), nullptr, 10) < std::strtoll(b.c_str(), nullptr, 10);
  });
  std::erase_if(widths, [](const auto& m) { return std::strtoll(m.c_str(), nullptr, 10) < 2; });
  return widths;
}

}  // namespace

ReadCurve read_curve(const Json& record, const CurveSource& source) {
  ReadCurve result{.curve = {{1, 1.0}}, .stack = chosen_stack(record.at("stacks"), source.stack)};
  const Json& metrics = record.at("stacks").at(result.stack).at("metrics");
  const auto widths = widths_of(metrics, source.base);
  const auto pasts = pasts_of(metrics, source.base, widths);
  const std::string place = fmt::format("stacks.{}.metrics", result.stack);
  if (pasts.empty())
    throw core::InputError({source.file, place, fmt::format("there is no {}/m=.../past=...", source.base),
                            "measure widths: marlin_bench --m-list 1,2,4,8"});
  if (!source.past.empty() && std::find(pasts.begin(), pasts.end(), source.past) == pasts.end())
    throw core::UsageError(
        fmt::format("--past: the record has no '{}': it has {}", source.past, fmt::join(pasts, ", ")));
  result.past = source.past.empty() ? pasts.back() : source.past;
  std::string why;
  for (const auto& m : widths) {
    const auto name = fmt::format("{}/m={}/past={}", source.base, m, result.past);
    const Figure one = figure(metrics, name);
    if (one.value && *one.value > 0) {
      result.curve.push_back({std::strtoll(m.c_str(), nullptr, 10), *one.value});
    } else if (metrics.contains(name)) {
      why = fmt::format("{}: {}", name, one.value ? "not above zero" : one.reason);
    }
  }
  if (result.curve.size() == 1)
    throw core::InputError({source.file, place, "no width has a B* with a value: " + why, ""});
  const auto time = source.base == "bstar.replay" ? "decode.gpu_ms" : "decode.wall_ms";
  result.decode_ms = figure(metrics, fmt::format("{}/past={}", time, result.past)).value;
  return result;
}

}  // namespace gonogo::reports
