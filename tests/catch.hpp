// Catch2 2.13 (Debian 12) and 3.4 (Ubuntu 24.04) behind one include.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

namespace gonogo::tests {
/// Marks the running test as skipped and says why; call it as `if (!there) return skip_test("...")`.
/// A program whose tests all skipped exits 77, which CTest shows as skipped.
void skip_test(const char* reason);
}  // namespace gonogo::tests
