#include <cmath>
#include <limits>

#include "harness/core/error.hpp"
#include "harness/core/half.hpp"
#include "tests/catch.hpp"
#include "tests/data_path.hpp"
#include "tests/graph/rewrite_fixture.hpp"
#include "tools/case_check.hpp"

namespace gonogo::tests {
namespace {

using tools::Outcome;

/// A case over y = Transpose(x), as cases.jsonl would hold it.
tools::CaseResult result_of(const std::string& expect, const std::string& feeds = R"({"x": ["f32", [2], [1.5, -2]]})",
                            const std::string& op = "Transpose") {
  const TempFolder folder;
  ModelBuilder builder;
  builder.input("x", 1, {"2"}).output("y", 1, {"2"});
  builder.node(op, {"x"}, {"y"});
  folder.write("m.onnx", builder.bytes());
  folder.write("cases.jsonl",
               R"({"tag": "t", "model": "m.onnx", "feeds": )" + feeds + R"(, "expect": )" + expect + "}\n");
  return tools::check_case(tools::read_cases(folder.path()).at(0), {});
}

TEST_CASE("a case is right when its values agree, in either notation") {
  CHECK(result_of(R"({"y": {"type": "float32", "dims": [2], "data": [1.5, -2]}})").outcome == Outcome::right);
  CHECK(result_of(R"({"y": ["f32", [2], [1.5, -2]]})").outcome == Outcome::right);
}

TEST_CASE("a case is wrong when a value, shape, type or name differs") {
  for (const char* expect : {R"({"y": ["f32", [2], [1.5, -2.001]]})", R"({"y": ["f32", [1, 2], [1.5, -2]]})",
                             R"({"y": ["i32", [2], [1, -2]]})", R"({"z": ["f32", [2], [1.5, -2]]})",
                             R"({"y": ["f32", [2], [1.5, "nan"]]})", R"({"y": ["f32", [2], [1.5, "-inf"]]})"}) {
    CAPTURE(expect);
    CHECK(result_of(expect).outcome == Outcome::wrong);
  }
}

TEST_CASE("a value where a refusal is expected is wrong, a refusal where a value is expected is refused") {
  CHECK(result_of(R"({"error": "refused"})").outcome == Outcome::wrong);
  const tools::CaseResult refused =
      result_of(R"({"y": ["f32", [2], [1.5, -2]]})", R"({"x": ["f32", [2], [1.5, -2]]})", "Nonesuch");
  CHECK(refused.outcome == Outcome::refused);
  CHECK(contains(refused.what, "wanted one this engine supports, got Nonesuch"));
  CHECK(result_of(R"({"error": "refused"})", R"({"x": ["f32", [3], [1, 2, 3]]})").outcome == Outcome::right);
}

TEST_CASE("float32 tolerance is relative to the largest value, and a NaN never passes as a number") {
  std::vector<float> wanted{1000.0F, 0.0F};
  std::vector<float> got = wanted;
  const auto tensor = [](std::vector<float>& values) {
    return core::Tensor{core::DType::f32, {2}, reinterpret_cast<std::byte*>(values.data())};
  };
  CHECK_FALSE(tools::difference("y", tensor(wanted), tensor(got)));
  got[1] = 0.0099F;
  CHECK_FALSE(tools::difference("y", tensor(wanted), tensor(got)));
  got[1] = 0.0101F;
  CHECK(tools::difference("y", tensor(wanted), tensor(got)));
  got[1] = std::numeric_limits<float>::quiet_NaN();
  CHECK(tools::difference("y", tensor(wanted), tensor(got)));
  got[1] = std::numeric_limits<float>::infinity();
  CHECK(tools::difference("y", tensor(wanted), tensor(got)));
  wanted[1] = got[1];
  CHECK_FALSE(tools::difference("y", tensor(wanted), tensor(got)));
  wanted[1] = std::numeric_limits<float>::quiet_NaN();
  CHECK(tools::difference("y", tensor(wanted), tensor(got)));
}

TEST_CASE("all-zero expectations leave no room but the floor") {
  std::vector<float> wanted{0.0F, 0.0F};
  std::vector<float> got{1e-13F, 0.0F};
  const auto tensor = [](std::vector<float>& values) {
    return core::Tensor{core::DType::f32, {2}, reinterpret_cast<std::byte*>(values.data())};
  };
  CHECK_FALSE(tools::difference("y", tensor(wanted), tensor(got)));
  got[0] = 1e-11F;
  CHECK(tools::difference("y", tensor(wanted), tensor(got)));
}

TEST_CASE("float16 passes two units in the last place and fails three") {
  std::vector<std::uint16_t> wanted{0x3C00, 0x0000};  // 1 and 0
  const auto tensor = [](std::vector<std::uint16_t>& values) {
    return core::Tensor{core::DType::f16, {2}, reinterpret_cast<std::byte*>(values.data())};
  };
  for (const int units : {0, 1, 2, 3}) {
    std::vector<std::uint16_t> got{static_cast<std::uint16_t>(0x3C00 + units), 0};
    CHECK(tools::difference("y", tensor(wanted), tensor(got)).has_value() == (units == 3));
  }
}

TEST_CASE("malformed case files are refused with their line") {
  const TempFolder folder;
  const auto error_of = [&](const std::string& text) {
    folder.write("cases.jsonl", text);
    try {
      (void)tools::read_cases(folder.path());
    } catch (const core::InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  folder.write("m.onnx", "x");
  CHECK(contains(error_of(""), "holds no case"));
  CHECK(contains(error_of("\n{"), "line 2"));
  CHECK(contains(error_of(R"({"tag": "t", "model": "gone.onnx", "feeds": {}, "expect": {"error": "refused"}})"),
                 "no file"));
  CHECK(contains(
      error_of(R"({"tag": "t", "model": "m.onnx", "feeds": {"x": ["f32", [2], [1]]}, "expect": {"error": "refused"}})"),
      "wants 2 values, got 1"));
  CHECK(contains(
      error_of(R"({"tag": "t", "model": "m.onnx", "feeds": {"x": ["f99", [], [1]]}, "expect": {"error": "refused"}})"),
      "f99"));
  CHECK(contains(
      error_of(R"({"tag": "t", "model": "m.onnx", "feeds": {"x": ["f32", [-1], []]}, "expect": {"error": "refused"}})"),
      "impossible shape"));
  CHECK(contains(error_of(R"({"tag": "t", "model": "m.onnx", "feeds": {}, "expect": {}})"), "expect"));
}

TEST_CASE("every recorded operator case is right or refused, never wrong") {
  graph::EvaluateOptions options;
  options.choice.int8_activations = true;
  options.threads = {2};
  int right = 0;
  for (const tools::Case& one : tools::read_cases(data_path("opcases"))) {
    const tools::CaseResult result = tools::check_case(one, options);
    CAPTURE(one.tag, result.what);
    CHECK(result.outcome != Outcome::wrong);
    if (result.outcome == Outcome::right) ++right;
  }
  CHECK(right >= 130);
}

}  // namespace
}  // namespace gonogo::tests
