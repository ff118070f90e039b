// The head size of an attention whose caches leave it open, found along the edges back to the projection.
#include "engine/plan/head_dim.hpp"
#include "tests/catch.hpp"
#include "tests/graph/rewrite_fixture.hpp"

namespace gonogo::tests {
namespace {

constexpr std::int32_t kFloat = 1;

/// x -> MatMulNBits (N columns) -> q; the caller leads q to the attention.
struct Query {
  ModelBuilder builder;

  explicit Query(std::int64_t columns) {
    builder.input("x", kFloat, {"1", "s", "64"})
        .input("k", kFloat, {"1", "s", "kv"})
        .input("v", kFloat, {"1", "s", "kv"});
    builder.input("w", 2, {"n", "2", "16"}).input("scales", kFloat, {"n", "2"});
    set_integer(builder.node("MatMulNBits", {"x", "w", "scales"}, {"q"}, "com.microsoft"), "N", columns);
  }
  /// Nothing is 0: a head of no columns is none.
  std::int64_t head_dim(const std::string& query, std::int64_t heads, std::int64_t kv_heads = 0) {
    const bool packed = kv_heads > 0;
    auto& node =
        builder.node("GroupQueryAttention", {query, packed ? "" : "k", packed ? "" : "v"}, {"y"}, "com.microsoft");
    set_integer(node, "num_heads", heads);
    set_integer(node, "kv_num_heads", packed ? kv_heads : heads);
    builder.output("y", kFloat, {"1", "s", "h"});
    const graph::Graph graph = built(builder);
    for (const graph::Node& one : graph.nodes)
      if (one.op_type == "GroupQueryAttention") return engine::head_dim_of(graph, one).value_or(0);
    throw std::logic_error("no attention");
  }
};

TEST_CASE("the head size is the projection's width over the heads", "[plan]") {
  CHECK(Query(128).head_dim("q", 4) == 32);
}

TEST_CASE("a packed query holds the key and value heads, too", "[plan]") {
  CHECK(Query(128).head_dim("q", 4, 2) == 16);  // 4 + 2 * 2 heads
}

TEST_CASE("bias, cast, norm and rotation keep the width", "[plan]") {
  Query query(128);
  query.builder.floats("b", {128}, std::vector<float>(128, 0.0F));
  query.builder.floats("g", {128}, std::vector<float>(128, 1.0F));
  query.builder.node("Add", {"q", "b"}, {"biased"});
  query.builder.node("Cast", {"biased"}, {"cast"});
  query.builder.node("SimplifiedLayerNormalization", {"cast", "g"}, {"normed"});
  CHECK(query.head_dim("normed", 8) == 16);
}

TEST_CASE("a dense projection's width is its weight's last extent", "[plan]") {
  Query query(1);
  query.builder.floats("dense", {64, 96}, std::vector<float>(64 * 96, 0.0F));
  query.builder.node("MatMul", {"x", "dense"}, {"d"});
  CHECK(query.head_dim("d", 3) == 32);
}

TEST_CASE("a Split's width is that of its part, a Reshape's the last extent of its constant target", "[plan]") {
  Query split(128);
  split.builder.integers("sizes", {3}, {64, 32, 32});
  split.builder.node("Split", {"q", "sizes"}, {"a", "b", "c"});
  CHECK(split.head_dim("b", 2) == 16);
  Query reshape(128);
  reshape.builder.integers("target", {3}, {0, -1, 32});
  reshape.builder.node("Reshape", {"q", "target"}, {"r"});
  CHECK(reshape.head_dim("r", 4) == 8);
}

TEST_CASE("what the graph does not say, or heads that do not divide the width, give no head size", "[plan]") {
  CHECK(Query(128).head_dim("q", 3) == 0);
  CHECK(Query(128).head_dim("q", 0) == 0);
  CHECK(Query(128).head_dim("x", 4) == 0);  // a graph input
  CHECK(Query(0).head_dim("q", 4) == 0);    // a projection that does not say its N
  Query open(128);
  open.builder.integers("target", {3}, {0, 0, -1});
  open.builder.node("Reshape", {"q", "target"}, {"r"});
  CHECK(open.head_dim("r", 4) == 0);
  Query other(128);
  other.builder.node("Transpose", {"q"}, {"t"});
  CHECK(other.head_dim("t", 4) == 0);
}

}  // namespace
}  // namespace gonogo::tests
