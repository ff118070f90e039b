#include "reports/decisions/facts.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/render/numbers.hpp"

namespace gonogo::reports {
namespace {

Json text_or_null(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string() ? object[key] : Json(nullptr);
}

Json dispatch_of(const Json& record, const std::string& stack) {
  Json result = Json::object();
  const Json& plan = record.at("plan");
  if (!plan.is_object() || !plan.contains(stack) || !plan[stack].is_object()) return result;
  for (const Json& width : list_or_empty(plan[stack], "widths")) {
    const double m = number_or(width, "m", 0);
    if (m < 1) continue;
    Json lines = Json::array();
    for (const Json& kernel : list_or_empty(width, "kernels"))
      lines.push_back(fmt::format("{} {} x{:.6g}", text_or(kernel, "op", "?"), text_or(kernel, "kernel", "?"),
                                  number_or(kernel, "count", 0)));
    result[fmt::format("m={:.6g}", m)] = std::move(lines);
  }
  return result;
}

std::vector<std::string> lines_of(const Json& list) { return list.get<std::vector<std::string>>(); }

// The first of `a` that `b` lacks.
std::string first_missing(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  for (const auto& line : a)
    if (std::find(b.begin(), b.end(), line) == b.end()) return line;
  return "nothing";
}

}  // namespace

Json facts_of(const Json& record, const std::string& stack) {
  const Json& metrics = record.at("stacks").at(stack).at("metrics");
  Json decode = Json::object();
  for (const auto& past : label_values(metrics, "decode.gpu_ms", "past"))
    if (const auto one = figure(metrics, "decode.gpu_ms/past=" + past); one.value)
      decode["decode.gpu_ms/past=" + past] = *one.value;
  if (decode.empty())
    for (const auto& past : label_values(metrics, "decode.wall_ms", "past"))
      if (const auto one = figure(metrics, "decode.wall_ms/past=" + past); one.value)
        decode["decode.wall_ms/past=" + past] = *one.value;
  return {{"date", record.at("context").at("date")},
          {"device", record.at("devices").at(0).at("name")},
          {"model", text_or_null(record.at("model"), "name")},
          {"weights_hash", text_or_null(record.at("model"), "weights_hash")},
          {"git_sha", record.at("build").at("git_sha")},
          {"git_dirty", record.at("build").at("git_dirty")},
          {"levers", record.at("stacks").at(stack).at("levers")},
          {"dispatch", dispatch_of(record, stack)},
          {"decode_ms", std::move(decode)}};
}

bool comparable(const Json& then, const Json& now) {
  for (const char* key : {"device", "model", "weights_hash"})
    if (then.at(key) != now.at(key)) return false;
  return true;
}

std::vector<std::string> moved(const Json& then, const Json& now, double tolerance) {
  std::vector<std::string> reasons;
  if (then.at("git_sha") != now.at("git_sha"))
    reasons.push_back(fmt::format("sha: {} then, {} now", then.at("git_sha").get<std::string>().substr(0, 8),
                                  now.at("git_sha").get<std::string>().substr(0, 8)));
  if (then.at("levers") != now.at("levers"))
    reasons.push_back(fmt::format("levers: {} then, {} now", fmt::join(lines_of(then.at("levers")), "+"),
                                  fmt::join(lines_of(now.at("levers")), "+")));
  for (const auto& [width, lines] : then.at("dispatch").items()) {
    if (!now.at("dispatch").contains(width)) continue;  // the run left that width out: not known to have moved
    const auto before = lines_of(lines), after = lines_of(now.at("dispatch")[width]);
    if (before != after)
      reasons.push_back(fmt::format("dispatch at {}: {} then, {} now", width, first_missing(before, after),
                                    first_missing(after, before)));
  }
  for (const auto& [metric, value] : then.at("decode_ms").items()) {
    if (!now.at("decode_ms").contains(metric)) continue;
    const double before = value.get<double>(), after = now.at("decode_ms")[metric].get<double>();
    // Asked so that a median that is no number has moved.
    if (!(std::fabs(after / before - 1) <= tolerance))
      reasons.push_back(fmt::format("M=1 median: {} was {}, is {} ({})", metric, duration(before), duration(after),
                                    signed_percent(after / before - 1)));
  }
  return reasons;
}

}  // namespace gonogo::reports
