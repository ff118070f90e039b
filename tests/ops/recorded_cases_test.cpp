// The recorded single-node cases of these families: right, or refused where ONNX Runtime refuses.
#include <set>

#include "tests/catch.hpp"
#include "tests/ops/opcase.hpp"

using namespace gonogo;

namespace {

/// Checks every outcome; `ours` are the tags refused here although ONNX Runtime computes them.
void check_outcomes(const std::vector<tests::CaseOutcome>& outcomes, std::size_t count,
                    const std::set<std::string>& ours) {
  CHECK(outcomes.size() == count);
  for (const auto& outcome : outcomes) {
    CAPTURE(outcome.tag, outcome.detail);
    CHECK(outcome.kind != tests::CaseOutcome::Kind::wrong);
    const bool refused = outcome.kind == tests::CaseOutcome::Kind::refused;
    CHECK(refused == (outcome.refusal_expected || ours.contains(outcome.tag)));
    if (refused) CHECK(outcome.detail.find("wanted") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("recorded attention cases come out right or refused by name, with both attention kernels", "[ops]") {
  const std::string choice = GENERATE("static", "transient");
  ops::KernelChoice kernels;
  kernels.attention = choice;
  check_outcomes(
      tests::run_opcases({"t3_", "t7_bias", "t7_padB2dec", "t7_kq", "t7_smooth_cap", "t7_scale0", "t7_gqa", "t9_"},
                         kernels),
      49, {"t3_out1"});
}

TEST_CASE("recorded normalisation cases come out right, with both norm kernels", "[ops]") {
  const std::string choice = GENERATE("static", "transient");
  ops::KernelChoice kernels;
  kernels.norm = choice;
  check_outcomes(tests::run_opcases({"t5_sln", "t5_ssln", "t5_rms", "t7_sln", "t7_ssln"}, kernels), 9, {});
}

TEST_CASE("recorded activation cases come out right", "[ops]") {
  check_outcomes(tests::run_opcases({"t5_act"}, {}), 6, {});
}
TEST_CASE("recorded ai.onnx Attention and RotaryEmbedding cases come out right", "[ops]") {
  check_outcomes(tests::run_opcases({"t5_re", "t7_att"}, {}), 10, {});
}
