// Small helpers every probe shares: samples in milliseconds, summaries as JSON, flat metrics.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "harness/record/json.hpp"
#include "harness/record/metric.hpp"
#include "harness/record/run_record.hpp"
#include "harness/stats/summary.hpp"

namespace gonogo::probes {

using Metrics = std::map<std::string, record::Metric>;

/// A figure that may be missing, with the reason why.
struct Figure {
  std::optional<double> value;
  record::Status status = record::Status::unmeasured;
  std::string reason = "not measured";

  [[nodiscard]] static Figure of(double value) { return {value, record::Status::ok, ""}; }
  [[nodiscard]] static Figure none(record::Status status, std::string reason) {
    return {{}, status, std::move(reason)};
  }
};

[[nodiscard]] record::Metric metric(const Figure& figure, std::string unit, record::Better better);
[[nodiscard]] record::Json to_json(const Figure& figure);  // {value, status, reason}

[[nodiscard]] constexpr double to_ms(std::int64_t ns) { return static_cast<double>(ns) * 1e-6; }
enum class Part { gpu, d2h, host, wall, verify };  // verify: gpu + d2h, what the host must wait for
[[nodiscard]] double part_ms(const engine::ForwardTimes& times, Part part);
[[nodiscard]] std::vector<double> part_ms(std::span<const engine::ForwardTimes> samples, Part part);
/// Fills the row's samples.
void set_times(record::Row& row, std::span<const engine::ForwardTimes> samples);
/// Summary of one part; the samples must not be empty for a median to exist.
[[nodiscard]] stats::Summary summarize(std::span<const engine::ForwardTimes> samples, Part part);

[[nodiscard]] record::Json to_json(const stats::Summary& summary);
[[nodiscard]] record::Json to_json(const std::optional<double>& value);
[[nodiscard]] record::Json to_json(const core::AllocationCounts& counts);
[[nodiscard]] record::Json to_json(const engine::CaptureState& state);
[[nodiscard]] record::Json to_json(const engine::CaptureCounters& counters);
[[nodiscard]] std::string_view name_of(engine::Mode mode);
using record::name_of;

/// Seams as "Op[Reason] x n", joined by ", "; "none" when there are none. Seams of one op and reason are summed over
/// kernels.
[[nodiscard]] std::string census_text(std::span<const engine::Seam> seams);
[[nodiscard]] int seam_count(std::span<const engine::Seam> seams);

/// Counters of the stretch between two readings.
[[nodiscard]] engine::CaptureCounters operator-(const engine::CaptureCounters& after,
                                                const engine::CaptureCounters& before);
/// FNV-1a over 32-bit words, folded: equal outputs give equal hashes. 0.0 and -0.0 differ: this is about bits.
[[nodiscard]] std::uint64_t hash_of(std::span<const float> values);

}  // namespace gonogo::probes
