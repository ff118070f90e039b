#include "reports/pair/plan.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/stats/power.hpp"

namespace gonogo::reports {
namespace {

Json optional_text(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

template <class Value>
void take(const Json& json, const char* key, Value& value) {
  value = json.at(key).get<Value>();
}
void take(const Json& json, const char* key, std::optional<std::string>& value) {
  const Json& found = json.at(key);
  value = found.is_null() ? std::nullopt : std::optional(found.get<std::string>());
}

}  // namespace

std::string_view name_of(Arm arm) {
  constexpr std::array<std::string_view, 3> kNames = {"a", "b", "control"};
  return kNames.at(static_cast<std::size_t>(arm));
}

std::vector<std::uint8_t> orders_of(const PairPlan& plan) {
  std::mt19937_64 random(plan.seed);
  std::vector<std::uint8_t> orders;
  while (orders.size() < plan.blocks) {
    const auto first = static_cast<std::uint8_t>(random() >> 63);
    orders.push_back(first);
    orders.push_back(static_cast<std::uint8_t>(1 - first));
  }
  orders.resize(plan.blocks);
  return orders;
}

std::vector<Visit> visits_of(const PairPlan& plan) {
  const auto orders = orders_of(plan);
  std::vector<Visit> visits;
  for (std::size_t block = 0; block < plan.blocks; ++block) {
    std::vector<Arm> arms = {Arm::a, Arm::b};
    if (plan.control) arms.push_back(Arm::control);
    if (orders[block] == 1) std::reverse(arms.begin(), arms.end());
    for (const Arm arm : arms) visits.push_back({.index = visits.size(), .block = block, .arm = arm});
  }
  return visits;
}

void check_reach(const PairPlan& plan, std::size_t metrics) {
  const auto reach = stats::reach_of({.n = plan.blocks, .rows = metrics, .alpha = plan.alpha});
  if (reach.can_fire) return;
  throw core::UsageError(
      fmt::format("this plan can never find a change: {} blocks reach p = {:.3g} at best, {} metric{} at alpha {:g} "
                  "ask for {:.3g}; "
                  "wanted at least {} blocks{}",
                  plan.blocks, reach.smallest_p, metrics, metrics == 1 ? "" : "s", plan.alpha, reach.level,
                  reach.needed, metrics == 1 ? "" : ", or fewer metrics (--metrics)"));
}

Json to_json(const PairPlan& plan) {
  return {{"a", plan.a},
          {"b", plan.b},
          {"control", optional_text(plan.control)},
          {"blocks", plan.blocks},
          {"seed", plan.seed},
          {"metrics", plan.metrics},
          {"stack", plan.stack},
          {"gpu", optional_text(plan.gpu)},
          {"timeout_s", plan.timeout_s},
          {"alpha", plan.alpha},
          {"practical", plan.practical},
          {"allow", plan.allow}};
}

PairPlan plan_from(const Json& json, const std::string& source, const std::string& place) {
  PairPlan plan;
  try {
    take(json, "a", plan.a);
    take(json, "b", plan.b);
    take(json, "control", plan.control);
    take(json, "blocks", plan.blocks);
    take(json, "seed", plan.seed);
    take(json, "metrics", plan.metrics);
    take(json, "stack", plan.stack);
    take(json, "gpu", plan.gpu);
    take(json, "timeout_s", plan.timeout_s);
    take(json, "alpha", plan.alpha);
    take(json, "practical", plan.practical);
    take(json, "allow", plan.allow);
  } catch (const Json::exception& error) {
    throw core::InputError({source, place, fmt::format("is no plan: {}", error.what()), ""});
  }
  if (plan.blocks == 0 || plan.blocks > 100000)
    throw core::InputError({source, place + ".blocks", fmt::format("is {}", plan.blocks), ""});
  if (!(plan.alpha > 0 && plan.alpha < 1) || !(plan.practical >= 0))
    throw core::InputError({source, place, "alpha or practical is out of range", ""});
  return plan;
}

}  // namespace gonogo::reports
