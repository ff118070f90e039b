#include "probes/dram.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "harness/core/error.hpp"
#include "harness/core/trace.hpp"
#include "probes/token_ids.hpp"

namespace gonogo::probes {
namespace {

using record::Better;
using record::Json;
using record::Status;

void check_options(const DramOptions& o, std::int64_t context) {
  if (o.m_list.empty() || o.iters < 1)
    throw core::UsageError("the list of widths M is empty, or there are no iterations");
  const auto [least, most] = std::minmax_element(o.m_list.begin(), o.m_list.end());
  if (*least < 1) throw core::UsageError(fmt::format("width M must be at least 1, got {}", *least));
  if (o.past + *most > context)
    throw core::UsageError(fmt::format("past {} and M {} do not fit in the context of {}", o.past, *most, context));
}

OperatorGroup& group_of(std::vector<OperatorGroup>& groups, const std::string& name) {
  const auto at = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.name == name; });
  if (at != groups.end()) return *at;
  groups.push_back({name, 0, 0, {}});
  return groups.back();
}

// Times of the steps by the trace spans of one forward; empty when a step has no span.
std::vector<std::int64_t> times_of(const std::vector<engine::StepCost>& costs,
                                   const std::vector<core::SpanRecord>& spans) {
  std::vector<std::int64_t> times;
  std::size_t at = 0;  // spans come in plan order
  for (const auto& cost : costs) {
    while (at < spans.size() && spans[at].name != cost.node) ++at;
    if (at == spans.size()) return {};
    times.push_back(spans[at].end_ns - spans[at].begin_ns);
    ++at;
  }
  return times;
}

// One eager forward: by the backend's own step times where it has them, else by trace spans.
std::vector<std::int64_t> time_steps(engine::Session& session, const std::vector<engine::StepCost>& costs,
                                     std::span<const std::int64_t> ids) {
  const std::vector<std::int64_t> times = session.time_steps(ids);
  if (!times.empty()) return times;
  core::Trace trace;
  (void)session.forward(ids, engine::Mode::eager, engine::Wanted::all_ids);
  return times_of(costs, trace.spans());
}

void add_sample(DramPoint& point, const std::vector<engine::StepCost>& costs, const std::vector<std::int64_t>& times) {
  for (auto& group : point.groups) group.ms.push_back(0);
  for (std::size_t i = 0; i < costs.size(); ++i)
    group_of(point.groups, group_name(costs[i].node, costs[i].op)).ms.back() += to_ms(times[i]);
}

void measure_point(engine::Session& session, const DramOptions& options, DramPoint& point, const Monitor& monitor) {
  const auto costs = session.step_costs(point.m, options.past);
  if (costs.empty()) {
    point.reason = "the backend does not time its steps one by one";
    return;
  }
  for (const auto& cost : costs) {
    auto& group = group_of(point.groups, group_name(cost.node, cost.op));
    ++group.steps;
    group.bytes += cost.work.bytes();
  }
  const auto ids = TokenSource{options.seed, session.model().vocab}.range(options.past, point.m);
  for (int i = -1; i < options.iters; ++i) {  // the first one warms
    if (monitor.interrupted()) {
      point.reason = "interrupted";
      return;
    }
    session.rewind(options.past);
    const auto times = time_steps(session, costs, ids);
    if (times.size() == costs.size()) {
      if (i >= 0) add_sample(point, costs, times);
    } else {
      point.reason = "the trace of a forward lacks spans of its steps";
      return;
    }
  }
  point.status = Status::ok;
  point.reason = "";
}

}  // namespace

std::string group_name(std::string_view node, std::string_view op) {
  std::vector<std::string_view> parts;
  while (!node.empty()) {
    const auto cut = std::min(node.find('/'), node.size());
    if (cut > 0) parts.push_back(node.substr(0, cut));
    node.remove_prefix(std::min(cut + 1, node.size()));
  }
  // The exporter ends the names of products with their kind: ".../down_proj/MatMul_Q4".
  if (!parts.empty() && (parts.back() == op || parts.back().starts_with("MatMul"))) parts.pop_back();
  std::string name(parts.empty() || parts.back().starts_with("layers.") ? op : parts.back());
  if (name == "attn" || name == "mlp" || name == "model") name = op;
  if (name.ends_with("_proj")) name.resize(name.size() - 5);
  // Two products of one input, which other exporters write as one.
  if (name == "gate" || name == "up") name = "gate_up";
  std::replace(name.begin(), name.end(), '=', '_');
  return name;
}

DramResult measure_dram(const Subject& subject, const DramOptions& options, const std::optional<ReadBandwidth>& peak,
                        const Monitor& monitor) {
  engine::Session& session = *subject.session;
  check_options(options, session.model().context);
  DramResult result{subject.name, peak, {}};
  session.reserve(options.past + *std::max_element(options.m_list.begin(), options.m_list.end()));
  prime(session, {options.seed, session.model().vocab}, options.past);
  for (const std::int64_t m : options.m_list) {
    monitor.progress(fmt::format("dram share: M {}", m));
    DramPoint point;
    point.m = m;
    try {
      measure_point(session, options, point, monitor);
    } catch (const std::exception& error) {
      point.status = Status::failed;
      point.reason = error.what();
    }
    result.points.push_back(std::move(point));
  }
  return result;
}

Figure dram_share(const DramResult& result, const DramPoint& point, const OperatorGroup& group) {
  if (point.status != Status::ok) return Figure::none(point.status, point.reason);
  if (!result.peak) return Figure::none(Status::unmeasured, "the read bandwidth of this device was not measured");
  if (result.peak->cache_resident())
    return Figure::none(
        Status::unmeasured,
        fmt::format("a step reads {} bytes, which stay in the last-level cache of {} bytes: use a larger model",
                    result.peak->working_set, result.peak->last_level_cache));
  const auto ms = stats::summarize(group.ms).median;
  if (!ms || *ms <= 0) return Figure::none(Status::invalid, "too fast to time");
  const double share = static_cast<double>(group.bytes) / (*ms * 1e-3 * result.peak->bytes_per_second);
  if (share > 1)
    return Figure::none(Status::invalid,
                        fmt::format("{:.0f} % of the read bandwidth: its data stays in a cache", share * 100));
  return Figure::of(share);
}

Json to_json(const DramResult& r) {
  Json points = Json::array();
  for (const auto& point : r.points) {
    Json groups = Json::array();
    for (const auto& g : point.groups)
      groups.push_back({{"op", g.name},
                        {"steps", g.steps},
                        {"modelled_bytes", g.bytes},
                        {"ms", to_json(stats::summarize(g.ms))},
                        {"share", to_json(dram_share(r, point, g))}});
    points.push_back({{"m", point.m}, {"status", name_of(point.status)}, {"reason", point.reason}, {"groups", groups}});
  }
  return {{"source", "modelled"},
          {"mode", "eager"},
          {"peak", r.peak ? to_json(*r.peak) : Json(nullptr)},
          {"points", points}};
}

Metrics metrics(const DramResult& r) {
  Metrics out;
  for (const auto& point : r.points)
    for (const auto& group : point.groups)
      out[record::metric_name("dram.share", {{"m", std::to_string(point.m)}, {"op", group.name}})] =
          metric(dram_share(r, point, group), "1", Better::higher);
  return out;
}

}  // namespace gonogo::probes
