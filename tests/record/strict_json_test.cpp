#include "harness/record/strict_json.hpp"

#include <nlohmann/json.hpp>
#include <cmath>
#include <limits>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using record::dump_strict;
using record::Json;
using record::parse_strict;

namespace {
std::string refusal(const std::string& text) {
  try {
    (void)parse_strict(text, "run.json");
  } catch (const core::InputError& error) {
    CHECK(error.code() == core::ExitCode::usage);
    CHECK(error.fault().file == "run.json");
    return error.what();
  }
  return "accepted";
}
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
}  // namespace

TEST_CASE("every malformed document is refused with file, place and reason", "[record]") {
  struct Case {
    std::string text, part;
  };
  const Case cases[] = {
      {"", "empty (0 bytes)"},
      {" \n\t ", "empty (4 bytes)"},
      {R"({"a": 1, "b": [1, 2)", "line 1, column 20"},
      {R"({"a": 1} trailing)", "line 1"},
      {R"({"a": 1}{"a": 2})", "column 10"},
      {"{\"a\": 1}\n{\"a\": 2}\n", "line 2"},
      {"loading model...\n{\"a\": 1}", "the file starts with \"loading model"},
      {"\xEF\xBB\xBF{}", "byte order mark"},
      {"'[1]'", "the file starts with \"'[1]'\""},
      {"{\"a\": \"\xFF\"}", "UTF-8"},
      {"{'a': 1}", "line 1"},
      {"[1,]", "line 1"},
      {"// note\n{}", "line 1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    CHECK(holds(refusal(c.text), c.part));
  }
}

TEST_CASE("bare NaN and infinity are refused, null and the word are not numbers", "[record]") {
  for (const char* word : {"nan", "NaN", "Infinity", "-nan", "inf", "-Infinity"}) {
    CAPTURE(word);
    CHECK(holds(refusal(std::string(R"({"x": )") + word + "}"), " at x"));
  }
  CHECK(parse_strict(R"({"x": null})", "f")["x"].is_null());
  CHECK(parse_strict(R"({"x": "NaN"})", "f")["x"].is_string());
}

TEST_CASE("numbers that a double or an integer cannot hold are refused with their key path", "[record]") {
  CHECK(holds(refusal(R"({"rows": [{"mean": 1E999}]})"), "rows[0].mean"));
  CHECK(holds(refusal(R"({"rows": [{"mean": 1}, {"mean": 1e-400}]})"), "rows[1].mean: 1e-400 is too small"));
  CHECK(holds(refusal(R"({"bytes": 18446744073709551616})"), "bytes: 18446744073709551616 exceeds"));
  CHECK(holds(refusal(R"({"bytes": 1234567890123456789012345678901234567890})"), "exceeds a 64-bit integer"));
  CHECK(parse_strict("[1.7976931348623159e307]", "f")[0].get<double>() == 1.7976931348623159e307);
  CHECK(holds(refusal("[1.7976931348623159e308]"), "line 1"));  // rounds to infinity
  CHECK(parse_strict("[-1, 0e-999, 5e-324]", "f").dump() == "[-1,0.0,5e-324]");
}

TEST_CASE("a key given twice is an error, not the last one's win", "[record]") {
  CHECK(holds(refusal(R"({"a": {"k1": 1, "k2": 2, "k1": 3}})"), "a.k1: the key is given twice"));
  CHECK(parse_strict(R"({"a": {"k": 1}, "b": {"k": 1}, "c": [{"k": 1}, {"k": 2}]})", "f").size() == 3);
}

TEST_CASE("a document nested without end is refused", "[record]") {
  CHECK(holds(refusal(std::string(100000, '[')), "nested deeper than 100"));
  CHECK(parse_strict(std::string(100, '[') + std::string(100, ']'), "f").is_array());
}

TEST_CASE("key order and large objects survive reading", "[record]") {
  std::string text = "{\"z\": 0";
  for (int i = 0; i < 20000; ++i) text += ",\"k" + std::to_string(i) + "\":" + std::to_string(i);
  const Json document = parse_strict(text + "}", "f");
  CHECK(document.size() == 20001);
  CHECK(document.begin().key() == "z");
  CHECK(document.at("k19999") == 19999);
}

TEST_CASE("a non-finite number is written as null and reported by its key path", "[record]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> undefined;
  const auto text = dump_strict(
      {{"a", Json::array({1.0, nan})}, {"b", {{"c", std::numeric_limits<double>::infinity()}}}}, &undefined);
  CHECK(undefined == std::vector<std::string>{"a[1]", "b.c"});
  CHECK(parse_strict(text, "f") == Json({{"a", Json::array({1.0, nullptr})}, {"b", {{"c", nullptr}}}}));
}

TEST_CASE("integers beyond 2^53 are written as strings, others as numbers", "[record]") {
  const std::int64_t edge = std::int64_t{1} << 53;
  const Json back =
      parse_strict(dump_strict(Json::array({edge, edge + 1, -edge, -edge - 1, std::numeric_limits<std::uint64_t>::max(),
                                            std::numeric_limits<std::int64_t>::min()})),
                   "f");
  CHECK(
      back.dump() ==
      R"([9007199254740992,"9007199254740993",-9007199254740992,"-9007199254740993","18446744073709551615","-9223372036854775808"])");
}

TEST_CASE("doubles are written in a form that reads back equal", "[record]") {
  const double values[] = {0.1, 1.0 / 3, 1e-310, 123456789.123456789, -2.5e300, 4.9e-324, 0.30000000000000004};
  const Json back = parse_strict(dump_strict(Json(values)), "f");
  for (std::size_t i = 0; i < std::size(values); ++i) CHECK(back[i].get<double>() == values[i]);
  CHECK(dump_strict(Json(0.1)) == "0.1\n");
}

TEST_CASE("any text survives the round trip; bytes that are no UTF-8 are replaced", "[record]") {
  const std::string hard =
      "back\\slash \"quote\" new\nline tab\t \x01 \x7F \xF0\x9F\x9A\x80 \xE2\x80\xA8 C:\\temp\\new " +
      std::string(1, '\0') + "end";
  CHECK(parse_strict(dump_strict({{"error", hard}}), "f")["error"] == hard);
  CHECK(parse_strict(dump_strict({{hard, 1}}), "f").begin().key() == hard);
  CHECK(parse_strict(dump_strict({{"x", "a\xFFz"}}), "f")["x"] == "a\xEF\xBF\xBDz");
  CHECK(parse_strict(dump_strict({{"x", "cut \xE2\x82"}}), "f")["x"] == "cut \xEF\xBF\xBD");
}
