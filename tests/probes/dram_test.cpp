#include <nlohmann/json.hpp>

#include "harness/core/error.hpp"
#include "probes/dram.hpp"
#include "tests/catch.hpp"
#include "tests/probes/fake_session.hpp"

using namespace gonogo;
using probes::group_name;
using probes::measure_dram;
using probes::ReadBandwidth;
using record::Status;
using tests::FakeScript;
using tests::FakeSession;

namespace {

// A step of 2 layers and a head, far larger than the cache that `peak` tells of.
FakeScript two_layers() {
  FakeScript script;
  const auto add = [&](const std::string& node, const std::string& op, std::int64_t bytes) {
    script.costs.push_back({node, op, "kernel", {.weight_bytes = bytes}});
    script.spans.push_back(node);
  };
  add("/model/layers.0/mlp/gate_up_proj/MatMulNBits", "MatMulNBits", 3000);
  add("/model/layers.1/mlp/gate_up_proj/MatMulNBits", "MatMulNBits", 3000);
  add("/lm_head/MatMul", "MatMul", 500);
  return script;
}

ReadBandwidth peak(std::int64_t cache) {
  return {.bytes_per_second = 1e12, .working_set = 1000, .threads = 1, .repetitions = 1, .last_level_cache = cache};
}

}  // namespace

TEST_CASE("steps of one job are one group over the layers") {
  CHECK(group_name("/model/layers.3/mlp/gate_up_proj/MatMulNBits", "MatMulNBits") == "gate_up");
  CHECK(group_name("/model/layers.11/attn/GroupQueryAttention", "GroupQueryAttention") == "GroupQueryAttention");
  CHECK(group_name("/lm_head/MatMul", "MatMul") == "lm_head");
  CHECK(group_name("/model/layers.0/input_layernorm/LayerNorm", "SimplifiedLayerNormalization") == "LayerNorm");
  CHECK(group_name("", "Add") == "Add");
  CHECK(group_name("a=b", "Add") == "a_b");  // '=' and '/' separate labels
}

TEST_CASE("the share of a group is its modelled bytes over its time and the peak, labelled modelled") {
  FakeSession session(two_layers());
  const auto result = measure_dram({"latest", &session}, {{1}, 64, 5, 1}, peak(0), {});
  REQUIRE(result.points.size() == 1);
  const auto& point = result.points[0];
  REQUIRE(point.status == Status::ok);
  REQUIRE(point.groups.size() == 2);
  CHECK(point.groups[0].name == "gate_up");
  CHECK(point.groups[0].steps == 2);
  CHECK(point.groups[0].bytes == 6000);
  REQUIRE(point.groups[0].ms.size() == 5);
  const auto share = probes::dram_share(result, point, point.groups[0]);
  REQUIRE(share.value);
  const double ms = *stats::summarize(point.groups[0].ms).median;
  CHECK(ms >= 0.04);  // two spans of 20 microseconds
  CHECK(*share.value == Approx(6000 / (ms * 1e-3 * 1e12)));
  CHECK(probes::to_json(result)["source"] == "modelled");
  CHECK(probes::metrics(result).at("dram.share/m=1/op=gate_up").value);
}

TEST_CASE("a step that stays in the cache has no DRAM share, and one above the peak is invalid") {
  FakeSession session(two_layers());
  const auto resident = measure_dram({"latest", &session}, {{1}, 64, 2, 1}, peak(1 << 20), {});
  const auto metric = probes::metrics(resident).at("dram.share/m=1/op=lm_head");
  CHECK(metric.status == Status::unmeasured);
  CHECK(metric.reason.find("cache") != std::string::npos);

  auto slow = peak(0);
  slow.bytes_per_second = 1000;
  const auto impossible = measure_dram({"latest", &session}, {{1}, 64, 2, 1}, slow, {});
  CHECK(probes::metrics(impossible).at("dram.share/m=1/op=lm_head").status == Status::invalid);
  const auto unknown = measure_dram({"latest", &session}, {{1}, 64, 2, 1}, std::nullopt, {});
  CHECK(probes::metrics(unknown).at("dram.share/m=1/op=lm_head").status == Status::unmeasured);
}

TEST_CASE("a step without a span, or a backend without step costs, is unmeasured with the reason") {
  auto script = two_layers();
  script.spans.pop_back();
  FakeSession partial(script);
  const auto lacking = measure_dram({"latest", &partial}, {{1}, 64, 2, 1}, peak(0), {});
  CHECK(lacking.points[0].status == Status::unmeasured);
  CHECK(lacking.points[0].reason.find("spans") != std::string::npos);
  FakeSession none{FakeScript{}};
  CHECK(measure_dram({"latest", &none}, {{1}, 64, 2, 1}, peak(0), {}).points[0].status == Status::unmeasured);
  CHECK_THROWS_AS(measure_dram({"latest", &none}, {{0}, 64, 2, 1}, peak(0), {}), core::UsageError);
}
