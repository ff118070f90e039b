#include "engine/onnx/genai_config.hpp"
#include "engine/onnx/model.hpp"
#include "harness/core/error.hpp"
#include "tests/catch.hpp"
#include "tests/onnx/proto_builder.hpp"

namespace gonogo::tests {
namespace {

std::string error_of(const std::filesystem::path& model) {
  try {
    (void)onnx::find_model_file(model);
  } catch (const core::InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("the config's file name wins, then model.onnx, then the only .onnx file") {
  const TempFolder folder;
  folder.write("phi3-int4.onnx", "x");
  CHECK(onnx::find_model_file(folder.path()).filename() == "phi3-int4.onnx");
  folder.write("model.onnx", "x");
  CHECK(onnx::find_model_file(folder.path()).filename() == "model.onnx");
  folder.write("genai_config.json", R"({"model": {"decoder": {"filename": "phi3-int4.onnx"}}})");
  CHECK(onnx::find_model_file(folder.path()).filename() == "phi3-int4.onnx");
  folder.write("genai_config.json", R"({"search": {}})");
  CHECK(onnx::find_model_file(folder.path()).filename() == "model.onnx");
  CHECK(onnx::find_model_file(folder.path() / "phi3-int4.onnx").filename() == "phi3-int4.onnx");
}

TEST_CASE("a folder with no model or with several is refused, naming them") {
  const TempFolder folder;
  CHECK(contains(error_of(folder.path()), "holds no .onnx file"));
  folder.write("b.onnx", "x");
  folder.write("a.onnx", "x");
  CHECK(contains(error_of(folder.path()), "holds 2 .onnx files: a.onnx, b.onnx"));
  CHECK(contains(error_of(folder.path() / "c.onnx"), "no such file or folder"));
}

TEST_CASE("a config that names a missing or outside file is refused") {
  const TempFolder folder;
  folder.write("model.onnx", "x");
  folder.write("genai_config.json", R"({"model": {"decoder": {"filename": "other.onnx"}}})");
  CHECK(contains(error_of(folder.path()), "model.decoder.filename: \"other.onnx\" is not in the folder"));
  folder.write("genai_config.json", R"({"model": {"decoder": {"filename": "../model.onnx"}}})");
  CHECK(contains(error_of(folder.path()), "leaves the folder"));
}

TEST_CASE("the config's facts are read where they are present") {
  const TempFolder folder;
  CHECK_FALSE(onnx::read_genai_config(folder.path()).context_length.has_value());
  folder.write("genai_config.json",
               R"({"model": {"type": "qwen2", "context_length": 4096, "vocab_size": 512, "bos_token_id": 1,
                                                   "eos_token_id": [2, 7], "decoder": {"filename": "m.onnx"}}})");
  const onnx::GenaiConfig config = onnx::read_genai_config(folder.path());
  CHECK(config.type == "qwen2");
  CHECK(config.context_length == 4096);
  CHECK(config.vocab_size == 512);
  CHECK(config.bos_id == 1);
  CHECK(config.eos_ids == std::vector<std::int64_t>{2, 7});
  CHECK(config.filename == "m.onnx");
  folder.write("genai_config.json", R"({"model": {"eos_token_id": 3, "bos_token_id": null}})");
  CHECK(onnx::read_genai_config(folder.path()).eos_ids == std::vector<std::int64_t>{3});
  CHECK_FALSE(onnx::read_genai_config(folder.path()).bos_id.has_value());
}

TEST_CASE("a malformed config is refused with its key path") {
  const TempFolder folder;
  const auto config_error = [&](const char* text) {
    folder.write("genai_config.json", text);
    return error_of(folder.path());
  };
  CHECK(contains(config_error("{\"model\": "), "is not valid JSON"));
  CHECK(contains(config_error("[1]"), "wanted a JSON object"));
  CHECK(contains(config_error(R"({"model": 3})"), "model: wanted an object"));
  CHECK(contains(config_error(R"({"model": {"context_length": "long"}})"),
                 "model.context_length: wanted an integer, got \"long\""));
  CHECK(contains(config_error(R"({"model": {"eos_token_id": [1, 2.5]}})"), "model.eos_token_id"));
  CHECK(
      contains(config_error(R"({"model": {"decoder": {"filename": 1}}})"), "model.decoder.filename: wanted a string"));
}

}  // namespace
}  // namespace gonogo::tests
