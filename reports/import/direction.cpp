#include <array>
#include <string>
#include <string_view>

#include "reports/import/imported_run.hpp"

namespace gonogo::reports {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

template <std::size_t N>
bool ends_with_any(std::string_view text, const std::array<std::string_view, N>& ends) {
  for (const std::string_view end : ends)
    if (ends_with(text, end)) return true;
  return false;
}

template <std::size_t N>
bool is_any(std::string_view text, const std::array<std::string_view, N>& words) {
  for (const std::string_view word : words)
    if (text == word) return true;
  return false;
}

constexpr std::array<std::string_view, 8> kRates{"_per_second", "_per_s",  "_per_sec", "/s",
                                                 "/sec",        "/second", "bps",      "flops"};
constexpr std::array<std::string_view, 8> kTimes{"_ns",   "_us",      "_ms",     "_seconds",
                                                 "_time", "_latency", "latency", "duration"};
constexpr std::array<std::string_view, 6> kTimeUnits{"ns", "us", "\xC2\xB5s", "ms", "s", "min"};
constexpr std::array<std::string_view, 5> kLowerNames{"allocs_per_iter", "max_bytes_used", "total_allocated_bytes",
                                                      "net_heap_growth", "time"};

}  // namespace

record::Better direction_of(std::string_view metric, std::string_view unit) {
  if (ends_with_any(unit, kRates) || ends_with_any(metric, kRates)) return record::Better::higher;
  if (is_any(unit, kTimeUnits) || is_any(metric, kTimeUnits)) return record::Better::lower;
  if (is_any(metric, kLowerNames) || ends_with_any(metric, kTimes)) return record::Better::lower;
  return record::Better::none;
}

}  // namespace gonogo::reports
