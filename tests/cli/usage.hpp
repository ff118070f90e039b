// The message of the usage error an action ends in; "accepted" when it does not.
#pragma once

#include <string>

#include "harness/core/error.hpp"

namespace gonogo::tests {

template <class Action>
std::string usage(const Action& action) {
  try {
    action();
  } catch (const core::UsageError& error) {
    return error.what();
  }
  return "accepted";
}

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace gonogo::tests
