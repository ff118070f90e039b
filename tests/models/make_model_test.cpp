// The program: exit codes, streams and files.
#include <stdio.h>
#include <sys/wait.h>

#include <array>
#include <filesystem>
#include <string>

#include "engine/models/presets.hpp"
#include "engine/models/write_model.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/models/temp_folder.hpp"

using namespace gonogo;
namespace fs = std::filesystem;

namespace {

struct Ran {
  int code = -1;
  std::string out;  // stdout, or stderr when asked
};

Ran make_model(const std::string& arguments, bool errors = false) {
  const std::string redirect = errors ? " 2>&1 >/dev/null" : " 2>/dev/null";
  FILE* pipe = ::popen(((tests::build_folder() / "bin/make_model ").string() + arguments + redirect).c_str(), "r");
  REQUIRE(pipe != nullptr);
  Ran ran;
  std::array<char, 4096> buffer;
  for (std::size_t n = 0; (n = ::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) ran.out.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

const std::string kCustom = "--family llama --layers 2 --hidden 128 --heads 4 --ffn 200 --vocab 300 ";

}  // namespace

TEST_CASE("make_model --list names every preset with its bytes", "[make_model]") {
  const Ran ran = make_model("--list");
  CHECK(ran.code == 0);
  for (const models::Preset& preset : models::presets()) {
    CHECK(ran.out.find(preset.name) != std::string::npos);
    CHECK(ran.out.find(std::to_string(models::folder_bytes(preset.spec)) + " bytes") != std::string::npos);
  }
}

TEST_CASE("make_model writes a preset to the cache and prints its folder, with fewer layers where asked",
          "[make_model]") {
  const tests::TempFolder temp;
  const Ran ran = make_model("--preset tiny-glm --layers 1 --seed 7 --cache-dir " + temp.path().string());
  REQUIRE(ran.code == 0);
  const fs::path folder = ran.out.substr(0, ran.out.find('\n'));
  models::ModelSpec spec = models::find_preset("tiny-glm").spec;
  spec.layers = 1;
  CHECK_FALSE(models::find_damage(spec, folder, 7).has_value());
  CHECK(folder.parent_path() == temp.path());
}

TEST_CASE("make_model writes a custom shape: every option reaches the model", "[make_model]") {
  const tests::TempFolder temp;
  const std::string out = (temp.path() / "m").string();
  const Ran ran =
      make_model(kCustom +
                 "--kv-heads 2 --head-dim 48 --context 99 --block-size 64 --symmetric false --io f16 "
                 "--lm-head dense --qkv-bias true --rotary-dim 32 --rotary-interleaved true --rope-theta 5000 "
                 "--eps 0.001 --accuracy-level 4 --seed 9 --threads 1 --out " +
                 out);
  REQUIRE(ran.code == 0);
  const models::ModelSpec spec{.family = models::Family::llama,
                               .layers = 2,
                               .hidden = 128,
                               .heads = 4,
                               .kv_heads = 2,
                               .head_dim = 48,
                               .ffn = 200,
                               .vocab = 300,
                               .context = 99,
                               .block_size = 64,
                               .symmetric = false,
                               .io = core::DType::f16,
                               .head = models::Head::dense,
                               .embedding = models::Embedding::table,
                               .qkv_bias = true,
                               .rotary_dim = 32,
                               .rotary_interleaved = true,
                               .rope_theta = 5000,
                               .eps = 0.001f,
                               .accuracy_level = 4};
  CHECK_FALSE(models::find_damage(spec, out, 9).has_value());
  CHECK(make_model(kCustom + "--embedding shared --out " + (temp.path() / "s").string()).code == 0);
}

TEST_CASE("make_model refuses with exit code 2, the rule, what it wanted and what it got, and writes nothing",
          "[make_model]") {
  const tests::TempFolder temp;
  const std::string out = " --out " + (temp.path() / "m").string();
  const std::pair<std::string, std::string> cases[] = {
      {kCustom + "--heads 3" + out, ""},  // an option twice
      {"--family llama --layers 2 --hidden 100 --heads 3 --ffn 200 --vocab 300" + out,
       "wanted a multiple of 3, got 100"},
      {kCustom + "--kv-heads 3" + out, "wanted a multiple of 3, got 4"},
      {kCustom + "--block-size 48" + out, "block_size, one of: wanted 16, 32, 64, 128, 256, got 48"},
      {"--family llama --layers 2 --hidden 128 --heads 0 --ffn 200 --vocab 300" + out, "got 0"},
      {"--family llama --layers 2" + out, "needs --hidden"},
      {kCustom, "needs --out"},
      {"--preset tinny" + out, "tiny-glm"},
      {"--preset tiny --hidden 512", "needs --out"},
      {"--preset tiny --layers 0" + out, "layers, in range"},
      {"--preset tiny --seed x" + out, "seed"},
      {"--nonsense", "nonsense"},
      {"", "--preset"},
  };
  for (const auto& [arguments, message] : cases) {
    const Ran ran = make_model(arguments, true);
    INFO(arguments << " -> " << ran.out);
    CHECK(ran.code == 2);
    CHECK(ran.out.find(message) != std::string::npos);
  }
  CHECK(tests::entries_in(temp.path()) == 0);
}

TEST_CASE("make_model without room is exit code 5, with the bytes wanted and free", "[make_model]") {
  const tests::TempFolder temp;
  const Ran ran =
      make_model("--preset qwen2.5-14b --layers 1024 --ffn 16777216 --out " + (temp.path() / "m").string(), true);
  CHECK(ran.code == 5);
  CHECK(ran.out.find(" free") != std::string::npos);
}

TEST_CASE("make_model is silent on stderr when that is no terminal", "[make_model]") {
  const tests::TempFolder temp;
  const Ran ran = make_model("--preset tiny --out " + (temp.path() / "m").string(), true);
  CHECK(ran.code == 0);
  CHECK(ran.out == "");
}
