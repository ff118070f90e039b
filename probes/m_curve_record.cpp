// M-scaling in the run record: structured JSON, flat metrics, Google-Benchmark rows.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <set>

#include "harness/measure/flags.hpp"
#include "harness/measure/timer.hpp"
#include "probes/m_curve.hpp"

namespace gonogo::probes {
namespace {

using engine::Mode;
using record::Better;
using record::Json;
using record::Status;

std::string text(std::int64_t value) { return std::to_string(value); }

Json kernels_json(const std::vector<engine::StepKernel>& kernels) {
  Json json = Json::array();
  for (const auto& k : kernels) json.push_back({{"op", k.op}, {"kernel", k.kernel}, {"count", k.count}});
  return json;
}

Json cell_json(const Cell& cell, const std::optional<ReadBandwidth>& bandwidth) {
  Json json = {{"m", cell.m},
               {"past", cell.past},
               {"mode", name_of(cell.mode)},
               {"bucket", cell.bucket},
               {"status", name_of(cell.status)},
               {"reason", cell.reason},
               {"warmups", cell.warmups},
               {"warm_flat", cell.warm_flat},
               {"wall_ms", to_json(summarize(cell.samples, Part::wall))},
               {"gpu_ms", to_json(summarize(cell.samples, Part::gpu))},
               {"d2h_ms", to_json(summarize(cell.samples, Part::d2h))},
               {"host_ms", to_json(summarize(cell.samples, Part::host))},
               {"modelled_bytes", cell.work.bytes()},
               {"flops", cell.work.flops},
               {"roofline_share", to_json(roofline_share(cell, bandwidth))},
               {"kernels", kernels_json(cell.kernels)}};
  if (cell.mode == Mode::captured) json["capture"] = to_json(cell.capture);
  return json;
}

Json curve_json(const Curve& curve) {
  Json pieces = Json::array();
  for (const auto& p : curve.pieces)
    pieces.push_back({{"from_m", p.from},
                      {"to_m", p.to},
                      {"ms_per_row", p.ms_per_row},
                      {"from_kernels", kernels_json(p.from_kernels)},
                      {"to_kernels", kernels_json(p.to_kernels)}});
  return {
      {"cliff_ms", to_json(curve.cliff_ms)}, {"tail_ms_per_row", to_json(curve.tail_ms_per_row)}, {"pieces", pieces}};
}

Json length_json(const LengthFigures& figures) {
  Json bstars = Json::array();
  for (const auto& b : figures.bstars)
    bstars.push_back({{"k", b.k},
                      {"replay", to_json(b.replay)},
                      {"verify", to_json(b.verify)},
                      {"decode_gpu_ms", to_json(b.decode_gpu_ms)},
                      {"verify_gpu_ms", to_json(b.verify_gpu_ms)},
                      {"decode_roofline_share", to_json(b.decode_share)},
                      {"verify_roofline_share", to_json(b.verify_share)}});
  return {{"past", figures.past},
          {"bucket", figures.bucket},
          {"eager", curve_json(figures.eager)},
          {"captured", curve_json(figures.captured)},
          {"bstar", bstars}};
}

Figure statistic(const Cell& cell, Part part, std::optional<double> stats::Summary::*which) {
  if (cell.status != Status::ok) return Figure::none(cell.status, cell.reason);
  const auto value = summarize(cell.samples, part).*which;
  return value ? Figure::of(*value) : Figure::none(Status::unmeasured, "no samples");
}

std::string base_name(const Cell& cell) {
  if (cell.mode == Mode::eager) return "eager";
  return cell.m == 1 ? "decode" : "verify";
}

std::map<std::string, std::string> labels(const Cell& cell) {
  std::map<std::string, std::string> labels{{"past", text(cell.past)}};
  if (base_name(cell) != "decode") labels["m"] = text(cell.m);
  return labels;
}

void add_cell(Metrics& out, const Cell& cell, const std::optional<ReadBandwidth>& bandwidth) {
  const auto add = [&](const std::string& what, Part part, auto which) {
    out[record::metric_name(base_name(cell) + what, labels(cell))] =
        metric(statistic(cell, part, which), "ms", Better::lower);
  };
  add(".gpu_ms", Part::gpu, &stats::Summary::median);
  add(".gpu_ms_min", Part::gpu, &stats::Summary::min);
  add(".wall_ms", Part::wall, &stats::Summary::median);
  if (cell.mode == Mode::captured)
    out[record::metric_name("roofline.share", labels(cell))] =
        metric(roofline_share(cell, bandwidth), "1", Better::higher);
}

void add_length(Metrics& out, const LengthFigures& figures) {
  const std::map<std::string, std::string> past{{"past", text(figures.past)}};
  for (const Curve* curve : {&figures.eager, &figures.captured}) {
    const std::string mode(name_of(curve->mode));
    out[record::metric_name("cliff." + mode + "_ms", past)] = metric(curve->cliff_ms, "ms", Better::lower);
    out[record::metric_name("tail." + mode + "_ms_per_row", past)] =
        metric(curve->tail_ms_per_row, "ms", Better::lower);
  }
  for (const auto& b : figures.bstars) {
    const std::map<std::string, std::string> at{{"m", text(b.k)}, {"past", text(figures.past)}};
    out[record::metric_name("bstar.replay", at)] = metric(b.replay, "1", Better::lower);
    out[record::metric_name("bstar.verify", at)] = metric(b.verify, "1", Better::lower);
  }
}

}  // namespace

Json to_json(const MScalingResult& result, const std::optional<ReadBandwidth>& bandwidth) {
  Json cells = Json::array(), lengths = Json::array(), drifts = Json::array();
  for (const auto& cell : result.cells) cells.push_back(cell_json(cell, bandwidth));
  for (const auto& figures : curve_figures(result, bandwidth)) lengths.push_back(length_json(figures));
  for (const auto& d : result.drifts)
    drifts.push_back({{"past", d.past}, {"m", d.m}, {"mode", name_of(d.mode)}, {"share", to_json(d.share)}});
  return {{"complete", result.complete},
          {"statistic", "median"},
          {"read_bandwidth", bandwidth ? to_json(*bandwidth) : Json(nullptr)},
          {"lengths", lengths},
          {"drift", drifts},
          {"cells", cells}};
}

Metrics metrics(const MScalingResult& result, const std::optional<ReadBandwidth>& bandwidth) {
  Metrics out;
  for (const auto& cell : result.cells) add_cell(out, cell, bandwidth);
  for (const auto& figures : curve_figures(result, bandwidth)) add_length(out, figures);
  return out;
}

std::vector<record::Row> rows(const MScalingResult& result) {
  const auto floor = measure::timer_floor();
  std::vector<record::Row> rows;
  for (const auto& cell : result.cells) {
    record::Row row;
    row.name = fmt::format("{}/{}/m:{}/past:{}", result.stack, base_name(cell), cell.m, cell.past);
    row.metric = record::metric_name(base_name(cell) + ".gpu_ms", labels(cell));
    row.stack = result.stack;
    row.mode = std::string(name_of(cell.mode));
    row.status = cell.status;
    row.reason = cell.reason;
    set_times(row, cell.samples);
    row.flags = measure::flag_samples(part_ms(cell.samples, Part::wall), floor);
    row.extra = {{"m", cell.m}, {"past", cell.past}, {"bucket", cell.bucket}, {"warm_flat", cell.warm_flat}};
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gonogo::probes
