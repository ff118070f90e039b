#include <cmath>

#include "tests/catch.hpp"
#include "tests/ops/op_runner.hpp"

namespace {

using namespace gonogo;
using core::DType;
using tests::Runner;
using tests::Value;
using tests::varied;

Runner skip_rms(const std::string& form) {
  Runner runner("com.microsoft", "SkipSimplifiedLayerNormalization", 4);
  runner.node.outputs[1] = runner.node.outputs[2] = "";
  runner.node.attributes["epsilon"] = 1e-6f;
  runner.choice.norm = form;
  return runner;
}

TEST_CASE("staged and unstaged norms have the same bits; only the staged one with more rows cannot be recorded",
          "[ops]") {
  for (const DType type : {DType::f32, DType::f16})
    for (const std::int64_t rows : {1, 4}) {
      std::vector<Value> inputs = {varied(type, {1, rows, 96}, 1), varied(type, {1, rows, 96}, 2),
                                   varied(type, {96}, 3), varied(type, {96}, 4)};
      const auto facts = Runner::facts(inputs);
      const auto fixed = skip_rms("static").run(inputs), transient = skip_rms("transient").run(inputs);
      CHECK(fixed[0].bytes == transient[0].bytes);
      CHECK(fixed[3].bytes == transient[3].bytes);
      const auto op = skip_rms("transient").make(inputs);
      CHECK(static_cast<bool>(op->capture(facts)) == (rows == 1));
      if (rows > 1) CHECK(op->capture(facts).reason().got == "transient");
      CHECK(op->kernel(facts) == (rows == 1 ? "skip_rms_norm.static" : "skip_rms_norm.transient"));
      CHECK(skip_rms("static").make(inputs)->capture(facts));
      const auto before = core::host_allocations();
      (void)skip_rms("transient").run(inputs);
      CHECK((core::host_allocations() - before).allocations == (rows == 1 ? 1 : 2));  // the runner's workspace is one
    }
}

TEST_CASE("a float16 residual is rounded where it is kept but normed as it was summed", "[ops]") {
  std::vector<Value> inputs = {varied(DType::f16, {2, 32}, 1), varied(DType::f16, {2, 32}, 2),
                               varied(DType::f16, {32}, 3)};
  const auto out = skip_rms("static").run(inputs);
  for (std::size_t row = 0; row < 2; ++row) {
    double mean = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      const double sum = static_cast<double>(inputs[0].at(row * 32 + i)) + inputs[1].at(row * 32 + i);
      mean += sum * sum / 32;
      CHECK(out[3].at(row * 32 + i) == core::f16_to_f32(core::f32_to_f16(static_cast<float>(sum))));
    }
    int rounded_differently = 0;
    for (std::size_t i = 0; i < 32; ++i) {
      const double scale = inputs[2].at(i) / std::sqrt(mean + 1e-6);
      const double sum = static_cast<double>(inputs[0].at(row * 32 + i)) + inputs[1].at(row * 32 + i);
      // One rounding to float16, u = 2^-11, and a little of float32.
      CHECK(std::abs(out[0].at(row * 32 + i) - sum * scale) <= 0x1.01p-11 * std::abs(sum * scale) + 0x1p-25);
      if (out[0].at(row * 32 + i) !=
          core::f16_to_f32(core::f32_to_f16(static_cast<float>(out[3].at(row * 32 + i) * scale))))
        ++rounded_differently;
    }
    CHECK(rounded_differently > 0);  // norming the rounded sum would be noticed
  }
}

TEST_CASE("large float16 values do not overflow a norm", "[ops]") {
  std::vector<Value> inputs = {varied(DType::f16, {1, 1, 32}, 1), varied(DType::f16, {1, 1, 32}, 2),
                               varied(DType::f16, {32}, 3)};
  for (std::size_t i = 0; i < 32; ++i) {
    inputs[0].set(i, 300.0f);
    inputs[1].set(i, 300.0f);
    inputs[2].set(i, 1.0f);
  }
  const auto out = skip_rms("static").run(inputs);
  for (std::size_t i = 0; i < 32; ++i) CHECK(out[0].at(i) == 1.0f);
}

TEST_CASE("LayerNormalization gives mean and inverse deviation where they are declared", "[ops]") {
  Runner runner("", "LayerNormalization", 3);
  runner.node.attributes["epsilon"] = 4.0f;
  std::vector<Value> inputs = {varied(DType::f32, {2, 3, 8}, 1), varied(DType::f32, {8}, 2),
                               varied(DType::f32, {8}, 3)};
  for (std::size_t i = 0; i < 8; ++i) inputs[0].set(i, 5.0f);
  const auto out = runner.run(inputs);
  CHECK(out[1].shape == core::Shape{2, 3, 1});
  CHECK(out[1].at(0) == 5.0f);
  CHECK(out[2].at(0) == 0.5f);
  for (std::size_t i = 0; i < 8; ++i) CHECK(out[0].at(i) == inputs[2].at(i));  // nothing but beta is left
}

TEST_CASE("norms refuse what they do not honour by name", "[ops]") {
  Runner runner("", "SimplifiedLayerNormalization");
  const std::vector<Value> inputs = {varied(DType::f32, {1, 3, 8}, 1), varied(DType::f32, {8}, 2)};
  CHECK(runner.refusal(inputs).empty());
  runner.node.attributes["axis"] = std::int64_t{1};
  CHECK(runner.refusal(inputs).find("axis, the last: wanted -1 or 2, got 1") != std::string::npos);
  runner.node.attributes["axis"] = std::int64_t{2};
  CHECK(runner.refusal(inputs).empty());
  runner.node.attributes["stash_type"] = std::int64_t{10};
  CHECK(runner.refusal(inputs).find("attribute stash_type: wanted 1, got 10") != std::string::npos);
  runner.node.attributes.erase("stash_type");
  CHECK(runner.refusal({inputs[0], varied(DType::f32, {7}, 2)}).find("shape of input 1: wanted [8], got [7]") !=
        std::string::npos);
  CHECK(runner.refusal({inputs[0], varied(DType::f16, {8}, 2)})
            .find("type of input 1, that of x: wanted float32, got float16") != std::string::npos);
  CHECK(runner.refusal({tests::make_value(DType::bf16, {1, 8}), tests::make_value(DType::bf16, {8})})
            .find("got bfloat16") != std::string::npos);
}

}  // namespace
