// Which operators come near the memory's speed: modelled bytes over measured time, per operator group.
// Modelled, not counted: the bytes are those of the byte model, and the record says so beside every figure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/bandwidth.hpp"
#include "probes/figures.hpp"
#include "probes/subject.hpp"

namespace gonogo::probes {

struct DramOptions {
  std::vector<std::int64_t> m_list = {1};
  std::int64_t past = 64;
  int iters = 10;
  std::uint64_t seed = 1;
};

/// Steps that do the same job in every layer.
struct OperatorGroup {
  std::string name;        // "gate_up", "down", "lm_head", "GroupQueryAttention"
  int steps = 0;           // of one forward
  std::int64_t bytes = 0;  // modelled, of one forward
  std::vector<double> ms;  // of the group in one eager forward, one entry a sample
};

struct DramPoint {
  std::int64_t m = 0;
  record::Status status = record::Status::unmeasured;
  std::string reason = "not measured";
  std::vector<OperatorGroup> groups;
};

struct DramResult {
  std::string stack;
  std::optional<ReadBandwidth> peak;  // at the working set of a width-1 step
  std::vector<DramPoint> points;
};

/// "/model/layers.3/mlp/gate_up_proj/MatMulNBits" -> "gate_up"; the operator's own name where the path says nothing.
[[nodiscard]] std::string group_name(std::string_view node, std::string_view op);

/// Eager forwards with trace spans on. A width without step costs or spans is unmeasured, with the reason.
[[nodiscard]] DramResult measure_dram(const Subject& subject, const DramOptions& options,
                                      const std::optional<ReadBandwidth>& peak, const Monitor& monitor);

/// Modelled bytes / (median time x measured read bandwidth). Unmeasured while the step fits in the last-level cache: it
/// is not read from DRAM then. Invalid above 1.
[[nodiscard]] Figure dram_share(const DramResult& result, const DramPoint& point, const OperatorGroup& group);

[[nodiscard]] record::Json to_json(const DramResult& result);
[[nodiscard]] Metrics metrics(const DramResult& result);

}  // namespace gonogo::probes
