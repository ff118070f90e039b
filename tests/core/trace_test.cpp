#include "harness/core/trace.hpp"

#include "tests/catch.hpp"

using namespace gonogo::core;

TEST_CASE("spans record name, nesting and ordered times, and nothing outside a trace", "[core]") {
  { const Span ignored("before"); }
  Trace trace;
  {
    const Span outer("outer");
    const Span inner("inner");
  }
  REQUIRE(trace.spans().size() == 2);
  CHECK(trace.spans()[0].name == "outer");
  CHECK(trace.spans()[1].depth == 1);
  CHECK(trace.spans()[0].begin_ns <= trace.spans()[1].begin_ns);
  CHECK(trace.spans()[1].end_ns <= trace.spans()[0].end_ns);
}
