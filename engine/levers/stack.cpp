#include "engine/levers/stack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "harness/core/error.hpp"
#include "harness/core/nearest.hpp"

namespace gonogo::engine {
namespace {

constexpr std::array<Lever, 6> kLevers{{
    {"gemm", "portable scalar tiles", "vectorised, weights read once for all rows"},
    {"attention", "workspace allocated per call", "workspace from the plan"},
    {"norm", "staging allocated per call for more than one row", "no staging"},
    {"lm_head", "output projection set up per call", "output projection prepared with the plan"},
    {"fusion", "one step per node", "gate/up and elementwise chains in one step"},
    {"overlap", "a kernel starts when the one before has ended",
     "a device kernel starts, and fetches its weights, while the one before drains (the cpu backend has none such)"},
}};
// Stack i has the first i levers on.
constexpr std::array<std::string_view, kLevers.size() + 1> kStackNames{"before",  "marlin", "attention", "norm",
                                                                       "lm_head", "fusion", "latest"};

std::vector<Stack> make_stacks() {
  std::vector<Stack> result;
  Stack stack;
  for (std::size_t i = 0; i < kStackNames.size(); ++i) {
    if (i > 0) stack.on.emplace_back(kLevers[i - 1].name);
    stack.name = kStackNames[i];
    result.push_back(stack);
  }
  return result;
}

[[noreturn]] void reject(std::string_view what, std::string_view got, std::span<const std::string_view> known) {
  const std::string near = core::nearest(got, std::vector<std::string>(known.begin(), known.end()));
  const std::string hint = near.empty() ? "" : fmt::format(": did you mean '{}'?", near);
  throw core::UsageError(fmt::format("unknown {} '{}'{} (one of {})", what, got, hint, fmt::join(known, ", ")));
}

const Stack* find_stack(std::string_view name) {
  for (const Stack& stack : stacks())
    if (stack.name == name) return &stack;
  return nullptr;
}

void turn_on(Stack& stack, std::string_view name) {
  std::vector<std::string_view> known;
  for (const Lever& lever : kLevers) known.push_back(lever.name);
  if (std::find(known.begin(), known.end(), name) == known.end()) reject("lever", name, known);
  if (!stack.has(name)) stack.on.emplace_back(name);
}

/// Puts the levers in order and names the set.
void settle(Stack& stack) {
  std::vector<std::string> ordered;
  for (const Lever& lever : kLevers)
    if (stack.has(lever.name)) ordered.emplace_back(lever.name);
  stack.on = std::move(ordered);
  for (const Stack& known : stacks())
    if (known.on == stack.on) {
      stack.name = known.name;
      return;
    }
  stack.name = fmt::format("before+{}", fmt::join(stack.on, "+"));
}

}  // namespace

std::span<const Lever> levers() { return kLevers; }

bool Stack::has(std::string_view lever) const { return std::find(on.begin(), on.end(), lever) != on.end(); }

std::span<const Stack> stacks() {
  static const std::vector<Stack> all = make_stacks();
  return all;
}

const Stack& before_stack() { return stacks().front(); }
const Stack& latest_stack() { return stacks().back(); }

Stack parse_stack(std::string_view text) {
  const std::size_t plus = text.find('+');
  const std::string_view base = text.substr(0, plus);
  const Stack* known = find_stack(base);
  if (known == nullptr) reject("stack of levers", base, kStackNames);
  Stack stack = *known;
  if (plus == std::string_view::npos) return stack;
  for (std::string_view rest = text.substr(plus + 1);;) {
    const std::size_t end = rest.find('+');
    turn_on(stack, rest.substr(0, end));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  settle(stack);
  return stack;
}

std::vector<Stack> parse_stacks(std::string_view list) {
  std::vector<Stack> result;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    Stack stack = parse_stack(list.substr(at, end - at));
    const bool twice = std::any_of(result.begin(), result.end(), [&](const Stack& s) { return s.name == stack.name; });
    if (twice) throw core::UsageError(fmt::format("--levers: stack {} is there twice", stack.name));
    result.push_back(std::move(stack));
    at = end + 1;
  }
  return result;
}

}  // namespace gonogo::engine
