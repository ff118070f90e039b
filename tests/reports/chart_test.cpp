#include "reports/chart/chart.hpp"

#include <cmath>
#include <limits>

#include "reports/chart/svg.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using reports::BarChart;
using reports::LineChart;

TEST_CASE("names with markup and control characters leave a chart well formed", "[chart]") {
  const std::string name = "void k<int, (char)34>(\"x\")&'\x1b[0m";
  for (const auto& text : {reports::svg(BarChart{name, {{name, 1.0, name, 0}}, {{1, name}}}),
                           reports::svg(LineChart{name, name, "ms", {{name, {{1, 1}, {2, 2}}}}, {{1, name}}}),
                           reports::svg(reports::Strip{name, {{name, 1, 0}}})}) {
    CHECK(text.find("k<int") == std::string::npos);
    CHECK(text.find('\x1b') == std::string::npos);
    CHECK(text.find("k&lt;int, (char)34&gt;(&quot;x&quot;)&amp;&#39;") != std::string::npos);
  }
}

TEST_CASE("a chart draws what is finite and says when there is nothing", "[chart]") {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const auto nothing = reports::svg(LineChart{"t", "M", "ms", {{"s", {{1, nan}, {inf, 2}}}}, {}});
  CHECK(nothing.find("Nothing of this was measured.") != std::string::npos);
  CHECK(nothing.find("nan") == std::string::npos);
  const auto one = reports::svg(LineChart{"t", "M", "ms", {{"s", {{1, nan}, {2, 5}}}}, {}});
  CHECK(one.find("<title>s, M 2: 5.00 ms</title>") != std::string::npos);
  CHECK(one.find("nan") == std::string::npos);
  CHECK(one.find("inf") == std::string::npos);
  const auto bars = reports::svg(BarChart{"t", {{"a", nan, "broken", 0}, {"b", 0.0, "0", 0}}, {}});
  CHECK(bars.find("nan") == std::string::npos);
  CHECK(reports::svg(reports::Strip{"t", {}}).find("Nothing of this") != std::string::npos);
}

TEST_CASE("bars are as long as their values", "[chart]") {
  const auto text = reports::svg(BarChart{"t", {{"whole", 8.0, "8", 0}, {"half", 4.0, "4", 0}}, {}});
  CHECK(text.find("width=\"378.0\" height=\"12\"") != std::string::npos);
  CHECK(text.find("width=\"189.0\" height=\"12\"") != std::string::npos);
}

TEST_CASE("ticks are round, hold zero and reach past the largest value", "[chart]") {
  using reports::chart::round_ticks;
  CHECK(round_ticks(0, 10, 4) == std::vector<double>{0, 5, 10});
  CHECK(round_ticks(3, 7.2, 4) == std::vector<double>{0, 2, 4, 6, 8});
  CHECK(round_ticks(-1, 3, 4) == std::vector<double>{-1, 0, 1, 2, 3});
  CHECK(round_ticks(0, 0, 4).back() >= 1);
  for (const double high : {1e-9, 0.3, 1.0, 99.0, 1234.5, 1e12}) {
    const auto ticks = round_ticks(0, high, 4);
    CAPTURE(high);
    CHECK(ticks.front() == 0);
    CHECK(ticks.back() >= high * (1 - 1e-9));
    CHECK(ticks.size() >= 3);
    CHECK(ticks.size() <= 7);
  }
}

TEST_CASE("a text that is too wide is cut between characters", "[chart]") {
  CHECK(reports::chart::cut("short", 100) == "short");
  const auto cut = reports::chart::cut("µµµµµµµµµµµµµµµµµµµµ", 70);
  CHECK(cut.ends_with("…"));
  CHECK(reports::chart::text_width(cut) <= 70);
  CHECK(cut.size() % 2 == 1);  // whole two-byte letters and the three bytes of the ellipsis
}
