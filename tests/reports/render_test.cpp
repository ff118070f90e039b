#include <cmath>
#include <limits>
#include <vector>

#include "harness/core/error.hpp"
#include "reports/render/bars.hpp"
#include "reports/render/numbers.hpp"
#include "reports/render/table.hpp"
#include "tests/catch.hpp"

using namespace gonogo::reports;

TEST_CASE("numbers keep at least three significant digits", "[render]") {
  CHECK(significant(1234.5) == "1234");
  CHECK(significant(123.45) == "123");
  CHECK(significant(12.345) == "12.3");
  CHECK(significant(1.2345) == "1.23");
  CHECK(significant(0.0012345) == "0.00123");
  CHECK(significant(-0.55) == "-0.550");
  CHECK(significant(9.996) == "10.0");
  CHECK(significant(99.96) == "100");
  CHECK(significant(1.5e-9) == "1.50e-09");
  CHECK(significant(2e12) == "2.00e+12");
  CHECK(significant(0.0) == "0");
  CHECK(significant(-0.0) == "0");
  CHECK(significant(std::numeric_limits<double>::quiet_NaN()) == "undefined");
}

TEST_CASE("a time has its unit per cell and a non-zero one is never shown as 0", "[render]") {
  CHECK(duration(1.1) == "1.10 ms");
  CHECK(duration(0.00146) == "1.46 µs");
  CHECK(duration(2500) == "2.50 s");
  CHECK(duration(0.99996) == "1.00 ms");
  CHECK(duration(0) == "0 ms");
  CHECK(duration(-0.002) == "-2.00 µs");
  for (double value = 1e-320; value < 1e300; value *= 37) {
    CAPTURE(value);
    for (const auto& text : {significant(value), duration(value), bytes(value), bandwidth(value), percent(value)})
      CHECK(std::strtod(text.c_str(), nullptr) > 0);
  }
}

TEST_CASE("bytes, bandwidth, shares and unknown units are shown in theirs", "[render]") {
  CHECK(bytes(512) == "512 B");
  CHECK(bytes(1536) == "1.50 KiB");
  CHECK(bytes(5.0 * (1 << 30)) == "5.00 GiB");
  CHECK(bandwidth(4.8e12) == "4.80 TB/s");
  CHECK(percent(0.5532) == "55.3 %");
  CHECK(signed_percent(0.123) == "+12.3 %");
  CHECK(signed_percent(-0.001) == "-0.100 %");
  CHECK(quantity(2.16, "1") == "2.16");
  CHECK(quantity(98.04, "tok/s") == "98.0 tok/s");
  CHECK(quantity(10.2, "ms") == "10.2 ms");
}

TEST_CASE("numbers beside each other read alike only when they are equal", "[render]") {
  using Texts = std::vector<std::string>;
  const auto shown = [](const std::vector<double>& values, const std::string& unit) { return distinct(values, unit); };
  CHECK(shown({2.2672203627949257, 2, 4}, "1") == Texts{"2.267", "2", "4"});
  CHECK(shown({1.99996, 2}, "1") == Texts{"1.99996", "2"});
  CHECK(shown({0.9499999999, 0.95}, "1") == Texts{"0.9499999999", "0.95"});
  CHECK(shown({2, 2}, "1") == Texts{"2", "2"});
  CHECK(shown({0, 1e-30}, "1") == Texts{"0", "1e-30"});
  CHECK(shown({12.5, 12}, "ms") == Texts{"12.5 ms", "12 ms"});
  CHECK(shown({1999.9999, 2000}, "ms") == Texts{"1.9999999 s", "2 s"});
  CHECK(shown({100, 2000}, "tok/s") == Texts{"100 tok/s", "2000 tok/s"});
  CHECK(shown({}, "1").empty());
  for (double bound = 1e-12; bound < 1e15; bound *= 7.3) {
    const double above = std::nextafter(bound, 1e300);
    for (const char* unit : {"1", "ms", "B", "B/s", "tok/s"}) {
      const auto texts = shown({bound, above}, unit);
      CAPTURE(bound, unit, texts);
      CHECK(texts[0] != texts[1]);
    }
  }
}

TEST_CASE("a table aligns by what the terminal shows, not by bytes", "[render]") {
  const Table table{.title = "M-scaling",
                    .columns = {{"kernel", Align::left}, {"time"}},
                    .rows = {{"µ-kernel", "1.46 µs"}, {"日本", "10.2 ms"}, {"short"}},
                    .notes = {"past 512"}};
  CHECK(text_table(table) ==
        "M-scaling\n"
        "kernel       time\n"
        "--------  -------\n"
        "µ-kernel  1.46 µs\n"
        "日本      10.2 ms\n"
        "short\n"
        "past 512\n");
}

TEST_CASE("widths of combining, wide and broken text", "[render]") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("e\xCC\x81") == 1);     // e and a combining acute
  CHECK(display_width("\xE6\x97\xA5") == 2);  // one ideograph
  CHECK(display_width("\xF0\x9F\x9A\x80") == 2);
  CHECK(display_width("\xFF\xFE") == 2);  // two invalid bytes
  CHECK(display_width("\xE6\x97") == 2);  // cut
  CHECK(display_width("") == 0);
}

TEST_CASE("Markdown cells cannot break out of their table", "[render]") {
  const Table table{
      .title = "T", .columns = {{"a", Align::left}, {"b"}}, .rows = {{"x|y\nz", "<b>*1*</b>"}, {}}, .notes = {}};
  CHECK(markdown_table(table) ==
        "### T\n\n"
        "| a | b |\n"
        "| :--- | ---: |\n"
        "| x\\|y z | &lt;b>\\*1\\*&lt;/b> |\n"
        "|  |  |\n");
}

TEST_CASE("a row with more cells than columns is a bug", "[render]") {
  const Table table{.title = "", .columns = {{"a"}}, .rows = {{"1", "2"}}, .notes = {}};
  CHECK_THROWS_AS(text_table(table), gonogo::core::LogicError);
  CHECK_THROWS_AS(markdown_table(table), gonogo::core::LogicError);
}

TEST_CASE("bars are proportional, and a small value still shows", "[render]") {
  CHECK(bar(10, 10, 4) == "████");
  CHECK(bar(5, 10, 4) == "██");
  CHECK(bar(1, 10, 4) == "▍");  // 3.2 eighths
  CHECK(bar(1e-9, 10, 4) == "▏");
  CHECK(bar(20, 10, 4) == "████");
  CHECK(bar(0, 10, 4).empty());
  CHECK(bar(1, 0, 4).empty());
  CHECK(bar(std::numeric_limits<double>::quiet_NaN(), 1, 4).empty());
}

TEST_CASE("a sparkline spans its values and leaves gaps where there is none", "[render]") {
  using Values = std::vector<std::optional<double>>;
  CHECK(sparkline(Values{0, 7, std::nullopt, 3.5, std::numeric_limits<double>::infinity()}) == "▁█ ▅ ");
  CHECK(sparkline(Values{2, 2}) == "▄▄");
  CHECK(sparkline(Values{}).empty());
  CHECK(sparkline(Values{std::nullopt}) == " ");
}
