// Whether two sides may be compared: what they say about machine, model, schema and clocks.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "reports/compare/side.hpp"

namespace gonogo::reports {
namespace {

constexpr double kReadingTolerance = 0.10;

struct Said {
  std::string value;
  FactKind kind = FactKind::identity;
};

// Key -> what the side says; runs of one side that disagree are told as "A / B".
std::map<std::string, Said> said_by(const std::vector<ImportedRun>& runs) {
  std::map<std::string, Said> said;
  for (const ImportedRun& run : runs) {
    std::map<std::string, Said> here;
    for (const Fact& fact : run.facts) here[fact.key] = {fact.value, fact.kind};
    for (const auto& [key, fact] : here) {
      const auto [found, fresh] = said.emplace(key, fact);
      if (!fresh && fact.kind != FactKind::reading && found->second.value.find(fact.value) == std::string::npos)
        found->second.value += " / " + fact.value;
    }
  }
  return said;
}

bool same_reading(const std::string& a, const std::string& b) {
  const double x = std::strtod(a.c_str(), nullptr), y = std::strtod(b.c_str(), nullptr);
  return std::fabs(x - y) <= kReadingTolerance * std::max(std::fabs(x), std::fabs(y));
}

bool runs_agree(const std::string& value) { return value.find(" / ") == std::string::npos; }

}  // namespace

std::vector<Difference> differences(const std::vector<ImportedRun>& base, const std::vector<ImportedRun>& cand,
                                    const ComparePolicy& policy) {
  std::vector<Difference> result;
  const auto add = [&](const std::string& key, const std::string& from, const std::string& to, bool matters) {
    const bool allowed = matters && policy.allowed.count(key) != 0;
    result.push_back({.key = key, .base = from, .cand = to, .refused = matters && !allowed, .allowed = allowed});
  };
  if (base.front().format != cand.front().format)
    add("format", std::string(name_of(base.front().format)), std::string(name_of(cand.front().format)), true);
  const auto from = said_by(base), to = said_by(cand);
  std::map<std::string, Said> keys = from;
  keys.insert(to.begin(), to.end());
  for (const auto& [key, fact] : keys) {
    const auto a = from.find(key), b = to.find(key);
    const std::string here = a == from.end() ? "" : a->second.value, there = b == to.end() ? "" : b->second.value;
    const bool matters = fact.kind != FactKind::environment;
    if (here.empty() || there.empty())
      add(key, here, there, fact.kind == FactKind::identity);
    else if (fact.kind == FactKind::reading ? !same_reading(here, there)
                                            : here != there || (matters && !runs_agree(here)))
      add(key, here, there, matters);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Difference& x, const Difference& y) { return x.refused > y.refused; });
  return result;
}

}  // namespace gonogo::reports
