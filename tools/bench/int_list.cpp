#include "tools/bench/int_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <span>
#include <string_view>

#include "harness/core/error.hpp"

namespace gonogo::bench {
namespace {

constexpr std::int64_t kMostMembers = 4096;

struct Bounds {
  const std::string& option;
  std::int64_t least, most;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    const auto end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos) return parts;
    at = end + 1;
  }
}

std::int64_t number(std::string_view text, const Bounds& bounds) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || (error == std::errc() && end != text.data() + text.size()) || error == std::errc::invalid_argument)
    throw core::UsageError(fmt::format("{}: '{}' is not a whole number", bounds.option, text));
  if (error != std::errc() || value < bounds.least || value > bounds.most)
    throw core::UsageError(fmt::format("{}: {} is not within {} to {}", bounds.option, text, bounds.least, bounds.most));
  return value;
}

void add_range(std::set<std::int64_t>& values, std::span<const std::string_view> parts, const Bounds& bounds) {
  const std::int64_t first = number(parts[0], bounds);
  const std::int64_t last = number(parts[1], bounds);
  const std::int64_t step = parts.size() == 3 ? number(parts[2], {bounds.option, 1, bounds.most}) : 1;
  if (first > last) throw core::UsageError(fmt::format("{}: the range {} to {} is reversed", bounds.option, first, last));
  if ((last - first) / step >= kMostMembers)
    throw core::UsageError(fmt::format("{}: the range {} to {} has more than {} members", bounds.option, first, last, kMostMembers));
  for (std::int64_t value = first; value <= last; value += step) values.insert(value);
}

void add_powers(std::set<std::int64_t>& values, std::span<const std::string_view> parts, const Bounds& bounds) {
  const std::int64_t first = number(parts[0], bounds);
  const std::int64_t last = number(parts[1], bounds);
  const auto before = values.size();
  for (std::int64_t power = 1; power <= last; power *= 2) {
    if (power >= first) values.insert(power);
    if (power > last / 2) break;
  }
  if (values.size() == before) throw core::UsageError(fmt::format("{}: no power of two from {} to {}", bounds.option, first, last));
}

}  // namespace

std::vector<std::int64_t> parse_int_list(const std::string& text, const std::string& option, std::int64_t least, std::int64_t most) {
  const Bounds bounds{option, least, most};
  std::set<std::int64_t> values;
  for (const auto item : split(text, ',')) {
    const auto parts = split(item, ':');
    const std::span<const std::string_view> all(parts);
    if (parts[0] == "pow2" && parts.size() == 3) {
      add_powers(values, all.subspan(1), bounds);
    } else if (parts.size() == 2 || parts.size() == 3) {
      add_range(values, all, bounds);
    } else if (parts.size() == 1) {
      values.insert(number(item, bounds));
    } else {
      throw core::UsageError(fmt::format("{}: '{}' is no number, no range a:b:step and no pow2:a:b", option, item));
    }
  }
  return {values.begin(), values.end()};
}

}  // namespace gonogo::bench
