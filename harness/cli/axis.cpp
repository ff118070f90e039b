#include "harness/cli/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "harness/cli/numbers.hpp"
#include "harness/core/error.hpp"

namespace gonogo::cli {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

class AxisParser {
 public:
  AxisParser(std::string_view text, const std::string& name, const AxisRule& rule)
      : text_(text), name_(name), rule_(rule) {}

  std::vector<std::int64_t> parse() {
    std::string_view body = text_;
    const std::string_view exponents = "[pow2]=";
    const bool are_exponents = body.starts_with(exponents);
    if (are_exponents) body.remove_prefix(exponents.size());
    if (body.size() >= 2 && body.front() == '[' && body.back() == ']') body = body.substr(1, body.size() - 2);
    if (body.empty()) fail("the list is empty");
    for (const std::string_view item : split(body, ',')) {
      if (item.empty()) fail(fmt::format("'{}' has an empty item", text_));
      if (are_exponents) {
        add_exponents(item);
      } else {
        add_item(item);
      }
    }
    return values_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw core::UsageError(name_ + ": " + what); }

  std::int64_t number(std::string_view text) const { return parse_integer(text, name_); }

  void add(std::int64_t value) {
    (void)parse_integer(fmt::format("{}", value), name_, {rule_.min, rule_.max});
    if (!seen_.insert(value).second) fail(fmt::format("{} appears twice in '{}'", value, text_));
    if (values_.size() >= rule_.most_points)
      fail(fmt::format("'{}' has more than {} points", text_, rule_.most_points));
    values_.push_back(value);
  }

  void check_order(std::int64_t first, std::int64_t last, std::string_view item) const {
    if (first > last) fail(fmt::format("'{}' runs backwards", item));
  }

  void add_steps(std::int64_t first, std::int64_t last, std::int64_t step) {
    if (step < 1) fail(fmt::format("wanted a step of at least 1, got {}", step));
    for (std::int64_t value = first;; value += step) {
      add(value);
      // Compared from the end: value + step may not fit.
      if (static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(step))
        return;
    }
  }

  void add_products(std::int64_t first, std::int64_t last, std::int64_t factor) {
    if (factor < 2) fail(fmt::format("wanted a factor of at least 2, got {}", factor));
    if (first < 1) fail(fmt::format("a range by a factor starts at 1 or more, got {}", first));
    for (std::int64_t value = first;; value *= factor) {
      add(value);
      if (value > last / factor) return;
    }
  }

  void add_item(std::string_view item) {
    if (item.starts_with("pow2:")) return add_powers(item);
    if (item.find(':') != std::string_view::npos) return add_colons(item);
    // A dash after the first character is a range; the first may be a sign.
    const auto dash = item.find('-', 1);
    if (dash == std::string_view::npos) return add(number(item));
    add_dashed(item, dash);
  }

  void add_powers(std::string_view item) {
    const auto parts = split(item, ':');
    if (parts.size() != 3) fail(fmt::format("'{}' is not pow2:first:last", item));
    const std::int64_t first = number(parts[1]), last = number(parts[2]);
    for (const std::int64_t end : {first, last})
      if (end < 1 || (end & (end - 1)) != 0) fail(fmt::format("{} in '{}' is not a power of two", end, item));
    check_order(first, last, item);
    add_products(first, last, 2);
  }

  void add_colons(std::string_view item) {
    const auto parts = split(item, ':');
    if (parts.size() > 3) fail(fmt::format("'{}' is not first:last:step", item));
    const std::int64_t first = number(parts[0]), last = number(parts[1]);
    check_order(first, last, item);
    add_steps(first, last, parts.size() == 3 ? number(parts[2]) : 1);
  }

  void add_dashed(std::string_view item, std::size_t dash) {
    const auto sign = item.find_first_of("+*", dash);
    const std::int64_t first = number(item.substr(0, dash));
    const std::int64_t last = number(item.substr(dash + 1, sign == std::string_view::npos ? sign : sign - dash - 1));
    check_order(first, last, item);
    if (sign == std::string_view::npos) return add_steps(first, last, 1);
    const std::int64_t by = number(item.substr(sign + 1));
    if (item[sign] == '+') {
      add_steps(first, last, by);
    } else {
      add_products(first, last, by);
    }
  }

  void add_exponents(std::string_view item) {
    const auto parts = split(item, ':');
    if (parts.size() > 3) fail(fmt::format("'{}' is not first:last:step", item));
    const auto exponent = [&](std::string_view part) { return parse_integer(part, name_ + " exponent", {0, 62}); };
    const std::int64_t first = exponent(parts[0]), last = exponent(parts.size() > 1 ? parts[1] : parts[0]);
    check_order(first, last, item);
    const std::int64_t step = parts.size() == 3 ? parse_integer(parts[2], name_ + " step", {1, 62}) : 1;
    for (std::int64_t e = first; e <= last; e += step) add(std::int64_t{1} << e);
  }

  std::string_view text_;
  const std::string& name_;
  const AxisRule& rule_;
  std::vector<std::int64_t> values_;
  std::unordered_set<std::int64_t> seen_;
};

}  // namespace

std::vector<std::int64_t> parse_axis(std::string_view text, const std::string& name, const AxisRule& rule) {
  return AxisParser(text, name, rule).parse();
}

}  // namespace gonogo::cli
