#include <string>

#include "engine/levers/choice.hpp"
#include "engine/levers/stack.hpp"
#include "harness/core/error.hpp"
#include "tests/catch.hpp"

using namespace gonogo::engine;

namespace {

std::string message_of(std::string_view text) {
  try {
    (void)parse_stack(text);
  } catch (const gonogo::core::UsageError& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("each stack adds exactly one lever to the one before", "[levers]") {
  REQUIRE(stacks().size() == levers().size() + 1);
  CHECK(before_stack().on.empty());
  for (std::size_t i = 1; i < stacks().size(); ++i) {
    CAPTURE(stacks()[i].name);
    REQUIRE(stacks()[i].on.size() == i);
    CHECK(stacks()[i].on.back() == levers()[i - 1].name);
    for (const std::string& lever : stacks()[i - 1].on) CHECK(stacks()[i].has(lever));
  }
  CHECK(latest_stack().name == "latest");
}

TEST_CASE("a stack is parsed by its name", "[levers]") {
  for (const Stack& stack : stacks()) CHECK(parse_stack(stack.name) == stack);
}

TEST_CASE("a list of stacks keeps its order and holds each stack once, however it is spelled", "[levers]") {
  const auto list = parse_stacks("latest,before+norm,before");
  REQUIRE(list.size() == 3);
  CHECK(list[0] == latest_stack());
  CHECK(list[1].name == "before+norm");
  CHECK(list[2] == before_stack());
  for (const char* bad : {"before,before", "marlin,before+gemm", "", "before,", ",before", "before,,latest"})
    CHECK_THROWS_AS(parse_stacks(bad), gonogo::core::UsageError);
}

TEST_CASE("an explicit set is ordered, deduplicated and named alike however it is spelled", "[levers]") {
  const Stack set = parse_stack("before+norm+gemm");
  CHECK(set.on == std::vector<std::string>{"gemm", "norm"});
  CHECK(set.name == "before+gemm+norm");
  CHECK(parse_stack("marlin+norm+norm") == set);
  CHECK(parse_stack("before+attention+gemm").name == "attention");
}

TEST_CASE("an unknown stack or lever is a usage error that names the nearest one and lists all", "[levers]") {
  CHECK(has(message_of("lates"), "did you mean 'latest'"));
  CHECK(has(message_of("befor+gemm"), "did you mean 'before'"));
  CHECK(has(message_of("before+gem"), "unknown lever 'gem': did you mean 'gemm'"));
  CHECK(has(message_of("before+"), "unknown lever ''"));
  CHECK(has(message_of("before+gemm++norm"), "unknown lever ''"));
  CHECK(has(message_of(""), "before, marlin, attention, norm, lm_head, fusion, latest"));
}

TEST_CASE("levers choose the kernels of the nodes they are about", "[levers]") {
  const auto choose = [](std::string_view stack, NodeRole role) {
    return kernel_choice(parse_stack(stack), role, false);
  };
  CHECK(choose("before", NodeRole::projection).matmul_nbits == "portable");
  CHECK(choose("before", NodeRole::attention).attention == "transient");
  CHECK(choose("before", NodeRole::norm).norm == "transient");
  CHECK(choose("marlin", NodeRole::projection).matmul_nbits == "simd");
  CHECK(choose("marlin", NodeRole::projection).matmul == "simd");
  CHECK(choose("marlin", NodeRole::attention).attention == "transient");
  CHECK(choose("attention", NodeRole::attention).attention == "static");
  CHECK(choose("attention", NodeRole::norm).norm == "transient");
  CHECK(choose("norm", NodeRole::norm).norm == "static");
  CHECK(choose("norm", NodeRole::lm_head).matmul == "portable");
  CHECK(choose("norm", NodeRole::lm_head).matmul_nbits == "portable");
  CHECK(choose("lm_head", NodeRole::lm_head).matmul == "simd");
  CHECK(choose("before+lm_head", NodeRole::lm_head).matmul == "portable");
  CHECK(kernel_choice(latest_stack(), NodeRole::projection, true).int8_activations);
}

TEST_CASE("operators have the role their levers are about", "[levers]") {
  CHECK(role_of("MatMulNBits") == NodeRole::projection);
  CHECK(role_of("MatMul") == NodeRole::projection);
  CHECK(role_of("GroupQueryAttention") == NodeRole::attention);
  CHECK(role_of("SimplifiedLayerNormalization") == NodeRole::norm);
  CHECK(role_of("SkipSimplifiedLayerNormalization") == NodeRole::norm);
  CHECK(role_of("RMSNormalization") == NodeRole::norm);
  CHECK(role_of("Add") == NodeRole::other);
}

TEST_CASE("fusing rewrites need the fusion lever, the others always apply", "[levers]") {
  CHECK(rewrite_enabled(before_stack(), "fold_mask"));
  CHECK_FALSE(rewrite_enabled(before_stack(), "fuse_bias"));
  CHECK_FALSE(rewrite_enabled(parse_stack("lm_head"), "fuse_swiglu"));
  CHECK(rewrite_enabled(latest_stack(), "fuse_swiglu"));
}
