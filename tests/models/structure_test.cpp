// The written graphs against files that the real builder made (tests/data/models).
#include <google/protobuf/util/message_differencer.h>
#include <onnx/onnx_pb.h>

#include <string>

#include "engine/models/graph_writer.hpp"
#include "engine/models/presets.hpp"
#include "tests/catch.hpp"
#include "tests/data_path.hpp"
#include "tests/models/temp_folder.hpp"

using namespace gonogo;
using google::protobuf::util::MessageDifferencer;
using models::Family;
using models::ModelSpec;

namespace {

onnx::ModelProto builder_made(const std::string& name) {
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(tests::bytes_of_file(tests::data_path("models/" + name + "/model.onnx"))));
  return model;
}

onnx::ModelProto ours(const ModelSpec& spec) {
  onnx::ModelProto model;
  REQUIRE(model.ParseFromString(models::serialize_graph(spec, models::lay_out(spec))));
  return model;
}

/// The first difference, or nothing.
std::string difference(const onnx::ModelProto& a, const onnx::ModelProto& b) {
  std::string text;
  MessageDifferencer differencer;
  differencer.set_message_field_comparison(MessageDifferencer::EQUIVALENT);
  differencer.ReportDifferencesToString(&text);
  return differencer.Compare(a, b) ? "" : text.substr(0, 400);
}

/// Offsets only: the builder packs tensors below a mebibyte without alignment, ours keep to 64 bytes.
void forget_offsets(onnx::ModelProto& model) {
  for (auto& tensor : *model.mutable_graph()->mutable_initializer())
    for (auto& entry : *tensor.mutable_external_data())
      if (entry.key() == "offset") entry.clear_value();
}

ModelSpec tiny_qwen2(core::DType io) {
  ModelSpec spec{.family = Family::qwen2,
                 .layers = 3,
                 .hidden = 256,
                 .heads = 8,
                 .kv_heads = 2,
                 .head_dim = 32,
                 .ffn = 704,
                 .vocab = 512,
                 .context = 1024,
                 .block_size = 32,
                 .io = io,
                 .qkv_bias = true,
                 .rotary_dim = 32};
  if (io == core::DType::f32) spec.accuracy_level = 1;
  return spec;
}

ModelSpec stories(std::int64_t block_size, bool symmetric) {
  return {.family = Family::llama,
          .layers = 5,
          .hidden = 64,
          .heads = 8,
          .kv_heads = 4,
          .head_dim = 8,
          .ffn = 172,
          .vocab = 512,
          .context = 512,
          .block_size = block_size,
          .symmetric = symmetric,
          .io = core::DType::f32,
          .rotary_dim = 8,
          .eps = 1e-5f,
          .accuracy_level = 1};
}

}  // namespace

TEST_CASE("tiny-glm is the builder's ChatGLM graph: every node, name, attribute, edge, type, shape and offset",
          "[models]") {
  const auto written = ours(models::find_preset("tiny-glm").spec);
  REQUIRE(written.graph().node_size() > 40);
  CHECK(difference(builder_made("tiny-glm4-b128-cuda"), written) == "");
}

TEST_CASE("the float32 and the float16 form of a qwen2 model are the builder's", "[models]") {
  CHECK(difference(builder_made("tiny-qwen2-b32-cpu"), ours(tiny_qwen2(core::DType::f32))) == "");
  CHECK(difference(builder_made("tiny-qwen2-b32-cuda"), ours(tiny_qwen2(core::DType::f16))) == "");
  ModelSpec glm = models::find_preset("tiny-glm").spec;
  glm.io = core::DType::f32;
  glm.accuracy_level = 1;
  CHECK(difference(builder_made("tiny-glm4-b128-cpu"), ours(glm)) == "");
}

TEST_CASE("a llama model with zero points, odd block counts and K tails is the builder's but for alignment",
          "[models]") {
  auto symmetric = builder_made("stories260k-int4-cpu"), asymmetric = builder_made("stories260k-int4-b16-asym");
  auto own_symmetric = ours(stories(32, true)), own_asymmetric = ours(stories(16, false));
  for (auto* model : {&symmetric, &asymmetric, &own_symmetric, &own_asymmetric}) forget_offsets(*model);
  CHECK(difference(symmetric, own_symmetric) == "");
  CHECK(difference(asymmetric, own_asymmetric) == "");
}

TEST_CASE("a shared embedding is looked up as the builder's shared_embeddings does", "[models]") {
  const auto reference = builder_made("tiny-qwen3-shared-emb-cpu");
  ModelSpec spec = tiny_qwen2(core::DType::f32);
  spec.embedding = models::Embedding::shared;
  const auto written = ours(spec);
  int compared = 0;
  // The families part ways at the first attention; up to there and at the head they are one.
  for (const auto& node : written.graph().node())
    for (const auto& other : reference.graph().node())
      if (node.name() == other.name() &&
          (node.name().find("embed_tokens") != std::string::npos || node.name().find("constant") != std::string::npos ||
           node.op_type() == "MatMulNBits")) {
        CHECK(MessageDifferencer::Equivalent(node, other));
        ++compared;
      }
  CHECK(compared == 2 + 3 + 3 * 5 + 1);  // Reshape and Gather..., constants, projections, head
  for (int i = 0; i < 12; ++i) CHECK(written.graph().node(i).name() == reference.graph().node(i).name());
}

TEST_CASE("one changed attribute, edge or name is a difference", "[models]") {
  const auto written = ours(models::find_preset("tiny-glm").spec);
  CHECK(difference(written, written) == "");
  auto attribute = written, edge = written, name = written;
  attribute.mutable_graph()->mutable_node(9)->mutable_attribute(0)->set_i(7);
  edge.mutable_graph()->mutable_node(12)->set_input(0, "elsewhere");
  name.mutable_graph()->mutable_node(5)->set_name("other");
  CHECK(difference(written, attribute) != "");
  CHECK(difference(written, edge) != "");
  CHECK(difference(written, name) != "");
}

TEST_CASE("a dense head is a plain MatMul over a [hidden, vocab] table in the io type", "[models]") {
  ModelSpec spec = models::find_preset("tiny-glm").spec;
  spec.head = models::Head::dense;
  const auto written = ours(spec);
  const auto& head = *written.graph().node().rbegin();
  CHECK(head.name() == "/lm_head/MatMul");
  CHECK(head.op_type() == "MatMul");
  CHECK(head.domain() == "");
  CHECK(head.output(0) == "logits");
  int found = 0;
  for (const auto& tensor : written.graph().initializer())
    if (tensor.name() == head.input(1)) {
      ++found;
      CHECK(tensor.dims(0) == spec.hidden);
      CHECK(tensor.dims(1) == spec.vocab);
      CHECK(tensor.data_type() == onnx::TensorProto::FLOAT16);
    }
  CHECK(found == 1);
}
