// The recorded single-node cases of the linear family: right, or refused where ONNX Runtime refuses.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/onnx/model.hpp"
#include "tests/catch.hpp"
#include "tests/data_path.hpp"
#include "tests/ops/opcase.hpp"

using namespace gonogo;
using Kind = tests::CaseOutcome::Kind;

namespace {

// Refused here although ONNX Runtime computes them: g_idx beside zero points, where it ignores the zero points.
const std::set<std::string> kRefusedHere = {"t1_gperm_zp", "t2_g"};

std::vector<tests::CaseOutcome> run(const std::string& matmul, bool int8_activations) {
  ops::KernelChoice choice;
  choice.matmul_nbits = matmul;
  choice.matmul = matmul;
  choice.int8_activations = int8_activations;
  return tests::run_opcases({"t1_", "t2_", "t5_gbq", "t5_dq_", "t7_mm"}, choice);
}

/// What the case's only node asks for; 0 when it does not say.
std::int64_t accuracy_level(const std::string& tag) {
  const onnx::Model model = onnx::load(tests::data_path("opcases/" + tag + ".onnx"));
  const auto& attributes = model.nodes.at(0).attributes;
  const auto found = attributes.find("accuracy_level");
  return found == attributes.end() ? 0 : std::get<std::int64_t>(found->second);
}

}  // namespace

TEST_CASE("recorded matmul and gather cases come out right or refused by name, with both matmul kernels", "[ops]") {
  const std::string matmul = GENERATE("simd", "portable");
  const auto outcomes = run(matmul, true);
  CHECK(outcomes.size() == 80);
  for (const auto& outcome : outcomes) {
    CAPTURE(matmul, outcome.tag, outcome.detail);
    CHECK(outcome.kind != Kind::wrong);
    const bool refused = outcome.kind == Kind::refused;
    CHECK(refused == (outcome.refusal_expected || kRefusedHere.contains(outcome.tag)));
    if (refused) CHECK(outcome.detail.find("wanted") != std::string::npos);
  }
}

TEST_CASE("cases recorded with int8 activations do not match float32 ones", "[ops]") {
  const auto outcomes = run("simd", false);
  // The negative control of the test above: level 4 computed in float32 must be seen as another value, and nothing
  // else.
  for (const auto& outcome : outcomes) {
    CAPTURE(outcome.tag, outcome.detail);
    if (outcome.kind == Kind::wrong) CHECK(accuracy_level(outcome.tag) == 4);
  }
  CHECK(std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return o.kind == Kind::wrong; }) >= 15);
}
