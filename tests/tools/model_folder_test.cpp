// Whole model folders: right, wrong by one recorded value, and refused.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/models/presets.hpp"
#include "engine/models/write_model.hpp"
#include "tests/catch.hpp"
#include "tests/models/temp_folder.hpp"
#include "tests/tools/fake_reference.hpp"
#include "tools/model_check.hpp"

namespace gonogo::tests {
namespace {

using tools::Outcome;
using Json = nlohmann::json;

/// A one-layer model with its own answers beside it.
struct ModelFolder {
  TempFolder temp;
  std::filesystem::path path = temp.path() / "model";

  ModelFolder() {
    models::ModelSpec spec = models::find_preset("tiny").spec;
    spec.layers = 1;
    models::write_model(spec, path);
    const auto session = engine::open_cpu_session({path / "model.onnx", "model"}, {});
    record(recorded_from(*session, {5, 17, 3, 250}, 3));
  }

  void record(const tools::Reference& reference) const {
    Json steps = Json::array();
    for (std::size_t i = 0; i < reference.ids.size(); ++i)
      steps.push_back({{"margin", reference.gaps[i]}, {"logits", reference.logits.at(static_cast<std::int64_t>(i))}});
    steps[0]["prefill_argmax"] = reference.prefill_argmax;
    const Json json{{"prompt", reference.prompt}, {"tokens", reference.ids}, {"steps", steps}};
    std::ofstream(path / "reference.json") << json;
  }

  [[nodiscard]] tools::ModelResult check() const {
    return tools::check_model(path, tools::read_references(path),
                              {{engine::before_stack(), engine::latest_stack()}, false, 2}, tools::Backend({"cpu", 0}));
  }
};

TEST_CASE("a folder with its own answers is right under every stack, and wrong when one logit is moved", "[tools]") {
  const ModelFolder folder;
  const auto sound = folder.check();
  CAPTURE(sound.lines);
  CHECK(sound.outcome == Outcome::right);

  tools::Reference reference = tools::read_references(folder.path).at(0);
  auto& row = reference.logits[1];
  double largest = 0;
  for (const double value : row) largest = std::max(largest, std::abs(value));
  row[0] += 2e-4 * largest;  // twice the tolerance
  folder.record(reference);
  const auto moved = folder.check();
  CHECK(moved.outcome == Outcome::wrong);
  REQUIRE(moved.lines.size() == 2);
  CHECK(moved.lines[0].find("reference.json [before]: logits of answer 1") != std::string::npos);
  CHECK(moved.lines[1].find("reference.json [latest]: logits of answer 1") != std::string::npos);
}

TEST_CASE("a folder that the engine refuses is refused, with the reason; answers that cannot be fed are wrong",
          "[tools]") {
  const ModelFolder folder;
  tools::Reference reference = tools::read_references(folder.path).at(0);
  reference.prompt[0] = 1 << 30;  // outside every vocabulary
  folder.record(reference);
  const auto outside = folder.check();
  CHECK(outside.outcome == Outcome::wrong);
  REQUIRE_FALSE(outside.lines.empty());
  CHECK(outside.lines.back().find("stopped:") != std::string::npos);

  std::filesystem::resize_file(folder.path / "model.onnx.data", 1000);
  const auto refused = folder.check();
  CHECK(refused.outcome == Outcome::refused);
  REQUIRE(refused.lines.size() == 1);
  CHECK(refused.lines[0].find("model.onnx.data") != std::string::npos);
}

}  // namespace
}  // namespace gonogo::tests
