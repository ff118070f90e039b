// Reading recorded answers in their two forms, and refusing those that cannot be.
#include "tools/reference.hpp"

#include <fstream>

#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/models/temp_folder.hpp"

namespace gonogo::tests {
namespace {

std::vector<tools::Reference> read(const std::string& text, const std::string& name = "reference.json") {
  const TempFolder folder;
  std::ofstream(folder.path() / name) << text;
  return tools::read_references(folder.path());
}

std::string error_of(const std::string& text, const std::string& name = "reference.json") {
  try {
    (void)read(text, name);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("both forms of recorded answers are read alike", "[tools]") {
  const auto steps = read(R"({"prompt": [1, 2], "tokens": [3, 4], "steps": [
      {"margin": 0.5, "logits": [1, 2], "prefill_argmax": [7, 3]}, {"margin": 0.25}]})")
                         .at(0);
  const auto flat = read(R"({"prompt_ids": [1, 2], "greedy_ids": [3, 4], "top1_top2_gap": [0.5, 0.25],
      "prefill_argmax_all": [7, 3], "logits": {"prefill_last": [1, 2], "step_0": [3, 4]}})",
                         "golden_a.json")
                        .at(0);
  for (const auto& reference : {steps, flat}) {
    CHECK(reference.prompt == std::vector<std::int64_t>{1, 2});
    CHECK(reference.ids == std::vector<std::int64_t>{3, 4});
    CHECK(reference.gaps == std::vector<double>{0.5, 0.25});
    CHECK(reference.prefill_argmax == std::vector<std::int64_t>{7, 3});
    CHECK(reference.logits.at(0) == std::vector<double>{1, 2});
  }
  CHECK(steps.logits.size() == 1);
  CHECK(flat.logits.at(1) == std::vector<double>{3, 4});  // after greedy id 0 has been fed
}

TEST_CASE("answers that contradict themselves are refused by file and reason", "[tools]") {
  CHECK(error_of("{").find("reference.json") != std::string::npos);
  CHECK(error_of("{}").find("prompt") != std::string::npos);
  CHECK(error_of(R"({"prompt": [], "tokens": [3], "steps": [{"margin": 1, "logits": [1]}]})").find("no prompt") !=
        std::string::npos);
  CHECK(error_of(R"({"prompt": [1], "tokens": [3, 4], "steps": [{"margin": 1, "logits": [1]}]})").find("2 ids but 1") !=
        std::string::npos);
  CHECK(error_of(R"({"prompt": [1], "tokens": [3], "steps": [{"margin": 1}]})").find("no row of logits") !=
        std::string::npos);
  CHECK(error_of(R"({"prompt": [1], "tokens": [3], "steps": [{"margin": 1, "logits": [1], "prefill_argmax": [1, 2]}]})")
            .find("1 prompt ids but 2") != std::string::npos);
  CHECK(error_of(R"({"prompt_ids": [1], "greedy_ids": [3], "top1_top2_gap": [1], "prefill_argmax_all": [1],
                     "logits": {"step_9": [1]}})")
            .find("after the last id") != std::string::npos);
  CHECK(error_of(R"({"prompt_ids": [1], "greedy_ids": [3], "top1_top2_gap": [1], "prefill_argmax_all": [1],
                     "logits": {"step_x": [1]}})")
            .find("step_N") != std::string::npos);
}

TEST_CASE("a folder without recorded answers, and what is no folder, are refused", "[tools]") {
  CHECK(error_of("{}", "other.json").find("no reference.json") != std::string::npos);
  CHECK_THROWS_AS(tools::read_references("no such folder"), core::InputError);
}

}  // namespace
}  // namespace gonogo::tests
