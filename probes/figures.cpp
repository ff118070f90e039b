#include "probes/figures.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace gonogo::probes {

record::Metric metric(const Figure& figure, std::string unit, record::Better better) {
  if (figure.status == record::Status::ok) return record::measured(figure.value, std::move(unit), better);
  return record::absent(figure.status, figure.reason, std::move(unit), better);
}

record::Json to_json(const Figure& figure) {
  return {{"value", to_json(figure.value)}, {"status", name_of(figure.status)}, {"reason", figure.reason}};
}

double part_ms(const engine::ForwardTimes& t, Part part) {
  switch (part) {
    case Part::gpu:
      return to_ms(t.gpu_ns);
    case Part::d2h:
      return to_ms(t.d2h_ns);
    case Part::host:
      return to_ms(t.host_ns);
    case Part::verify:
      return to_ms(t.gpu_ns + t.d2h_ns);
    case Part::wall:
      break;
  }
  return to_ms(t.wall_ns());
}

std::vector<double> part_ms(std::span<const engine::ForwardTimes> samples, Part part) {
  std::vector<double> values;
  values.reserve(samples.size());
  for (const auto& sample : samples) values.push_back(part_ms(sample, part));
  return values;
}

void set_times(record::Row& row, std::span<const engine::ForwardTimes> samples) {
  row.gpu_ms = part_ms(samples, Part::gpu);
  row.d2h_ms = part_ms(samples, Part::d2h);
  row.host_ms = part_ms(samples, Part::host);
}

stats::Summary summarize(std::span<const engine::ForwardTimes> samples, Part part) {
  return stats::summarize(part_ms(samples, part));
}

record::Json to_json(const std::optional<double>& value) {
  return value ? record::Json(*value) : record::Json(nullptr);
}

record::Json to_json(const stats::Summary& s) {
  return {{"n", s.n},
          {"min", to_json(s.min)},
          {"p10", to_json(s.p10)},
          {"median", to_json(s.median)},
          {"p90", to_json(s.p90)},
          {"max", to_json(s.max)},
          {"mean", to_json(s.mean)},
          {"stddev", to_json(s.stddev)}};
}

record::Json to_json(const core::AllocationCounts& c) {
  return {{"allocations", c.allocations}, {"frees", c.frees}, {"bytes", c.bytes}};
}

record::Json to_json(const engine::CaptureState& s) {
  record::Json seams = record::Json::array();
  for (const auto& seam : s.seams)
    seams.push_back({{"op", seam.op}, {"reason", seam.reason}, {"kernel", seam.kernel}, {"count", seam.count}});
  return {{"state", s.state},
          {"declined", s.declined ? record::Json(core::to_string(*s.declined)) : record::Json(nullptr)},
          {"segments", s.segments},
          {"seam_runs", s.seam_runs},
          {"graph_nodes", s.graph_nodes},
          {"launches", s.launches},
          {"seams", seams},
          {"census", census_text(s.seams)},
          {"capture_allocations", to_json(s.capture_allocations)}};
}

record::Json to_json(const engine::CaptureCounters& c) {
  return {{"steps", c.steps},     {"warm_ups", c.warm_ups}, {"captures", c.captures},
          {"replays", c.replays}, {"declines", c.declines}, {"invalidations", c.invalidations},
          {"growths", c.growths}};
}

std::string_view name_of(engine::Mode mode) { return mode == engine::Mode::eager ? "eager" : "captured"; }

std::string census_text(std::span<const engine::Seam> seams) {
  std::map<std::string, int> counts;
  for (const auto& seam : seams) counts[fmt::format("{}[{}]", seam.op, seam.reason)] += seam.count;
  std::string text;
  for (const auto& [key, count] : counts) text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", key, count);
  return text.empty() ? "none" : text;
}

int seam_count(std::span<const engine::Seam> seams) {
  int count = 0;
  for (const auto& seam : seams) count += seam.count;
  return count;
}

engine::CaptureCounters operator-(const engine::CaptureCounters& a, const engine::CaptureCounters& b) {
  return {a.steps - b.steps,       a.warm_ups - b.warm_ups,           a.captures - b.captures, a.replays - b.replays,
          a.declines - b.declines, a.invalidations - b.invalidations, a.growths - b.growths};
}

std::uint64_t hash_of(std::span<const float> values) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 0x100000001b3ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace gonogo::probes
