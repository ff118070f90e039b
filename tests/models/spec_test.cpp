#include "engine/models/spec.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "engine/models/presets.hpp"
#include "engine/models/write_model.hpp"
#include "tests/catch.hpp"

using namespace gonogo;
using models::ModelSpec;

TEST_CASE("every preset is possible and has the size its shape asks", "[models]") {
  REQUIRE(models::presets().size() == 5);
  for (const models::Preset& preset : models::presets()) {
    INFO(preset.name);
    CHECK(bool(models::check_spec(preset.spec)));
  }
  // int4 + scales + dense head + embedding, from the public configuration: 4.079 + 0.127 + 1.242 + 1.242 GB.
  CHECK(double(models::folder_bytes(models::find_preset("glm-4-9b").spec)) == Approx(6.69e9).epsilon(0.005));
  // 6.606 + 0.826 + 0.438 GB and a float16 embedding of 1.557 GB.
  CHECK(double(models::folder_bytes(models::find_preset("qwen2.5-14b").spec)) == Approx(9.43e9).epsilon(0.005));
}

TEST_CASE("an impossible shape is refused by rule, wanted and got", "[models]") {
  struct Case {
    const char* rule;
    const char* got;
    std::function<void(ModelSpec&)> change;
  };
  const Case cases[] = {
      {"layers, in range", "0", [](ModelSpec& s) { s.layers = 0; }},
      {"hidden, in range", "-1", [](ModelSpec& s) { s.hidden = -1; }},
      {"vocab, in range", "16777217", [](ModelSpec& s) { s.vocab = (1 << 24) + 1; }},
      {"heads, a multiple of kv_heads", "8", [](ModelSpec& s) { s.kv_heads = 3; }},
      {"head_dim, a multiple of 16", "24", [](ModelSpec& s) { s.head_dim = 24; }},
      {"rotary_dim, a multiple of 16 within head_dim", "48", [](ModelSpec& s) { s.rotary_dim = 48; }},
      {"rotary_dim, a multiple of 16 within head_dim", "8", [](ModelSpec& s) { s.rotary_dim = 8; }},
      {"rope_theta, above 1", "nan", [](ModelSpec& s) { s.rope_theta = std::numeric_limits<double>::quiet_NaN(); }},
      {"block_size, one of", "512", [](ModelSpec& s) { s.block_size = 512; }},
      {"block_size, one of", "0", [](ModelSpec& s) { s.block_size = 0; }},
      {"accuracy_level, one of", "5", [](ModelSpec& s) { s.accuracy_level = 5; }},
      {"head of a shared embedding", "dense",
       [](ModelSpec& s) { s.embedding = models::Embedding::shared, s.head = models::Head::dense; }},
      {"hidden of a shared embedding, a multiple of block_size", "272",
       [](ModelSpec& s) { s.embedding = models::Embedding::shared, s.hidden = 272; }},
      {"io type, one of", "bfloat16", [](ModelSpec& s) { s.io = core::DType::bf16; }},
      {"eps, above 0", "0", [](ModelSpec& s) { s.eps = 0; }},
      {"rows of the qkv projection, at most", "17301504",
       [](ModelSpec& s) { s.heads = 1 << 19, s.kv_heads = 1 << 13; }},
  };
  for (const Case& c : cases) {
    ModelSpec spec = models::find_preset("tiny").spec;
    c.change(spec);
    const auto answer = models::check_spec(spec);
    INFO(c.rule);
    REQUIRE_FALSE(bool(answer));
    CHECK(answer.reason().rule == c.rule);
    CHECK(answer.reason().got == c.got);
    CHECK_FALSE(answer.reason().wanted.empty());
  }
}
