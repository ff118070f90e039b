// Google Benchmark's JSON as readings.
#pragma once

#include "reports/pair/readings.hpp"

namespace gonogo::reports {

/// Has the shape of Google Benchmark's output: an object with `context` and an array `benchmarks`.
[[nodiscard]] bool is_google(const Json& document);
[[nodiscard]] Readings read_google(const Json& document, const std::string& source);

}  // namespace gonogo::reports
