#include "tools/bench/tables.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include "reports/render/numbers.hpp"

namespace gonogo::bench {
namespace {

using record::Json;
using reports::Align;
using reports::Column;
using reports::Table;

std::string cell(const Json& value) {
  if (value.is_null()) return "-";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_integer() || value.is_number_unsigned()) return std::to_string(value.get<std::int64_t>());
  if (!value.is_number_float()) return value.dump();
  return reports::significant(value.get<double>());
}

// The stack and other words to the left, numbers to the right.
std::vector<Column> columns(std::initializer_list<const char*> titles) {
  std::vector<Column> result;
  for (const std::string title : titles) {
    const bool words =
        title == "stack" || title == "seams" || title == "operator" || title == "int4 kernel" || title == "against";
    result.push_back({title, words ? Align::left : Align::right});
  }
  return result;
}

// A figure {value, status, reason}: the value, or its status.
std::string figure(const Json& f) {
  return f.at("value").is_null() ? f.at("status").get<std::string>() : cell(f.at("value"));
}
std::string percent(const Json& f) {
  return f.at("value").is_null() ? f.at("status").get<std::string>() : reports::percent(f.at("value").get<double>());
}
// Times of a cell that is not ok are not shown as numbers.
std::string timed(const Json& holder, const char* part, const char* statistic) {
  const auto& status = holder.at("status").get_ref<const std::string&>();
  return status == "ok" ? cell(holder.at(part).at(statistic)) : status;
}
std::string counts(const Json& c) {
  return c.is_null() ? "-" : fmt::format("({}, {})", cell(c.at("allocations")), cell(c.at("frees")));
}

bool failed_axis(const Json& result, Table& table, const std::string& stack) {
  if (!result.is_object() || result.value("status", "") != "failed" || result.size() > 2) return false;
  table.notes.push_back(fmt::format("{}: failed: {}", stack, result.at("reason").get<std::string>()));
  return true;
}

const Json* find_cell(const Json& result, const Json& like, const char* mode) {
  for (const auto& c : result.at("cells"))
    if (c.at("m") == like.at("m") && c.at("past") == like.at("past") && c.at("mode") == mode) return &c;
  return nullptr;
}

const Json* find_bstar(const Json& result, const Json& like) {
  for (const auto& length : result.at("lengths"))
    if (length.at("past") == like.at("past"))
      for (const auto& b : length.at("bstar"))
        if (b.at("k") == like.at("m")) return &b;
  return nullptr;
}

// The operator with the most steps names the kernel that matters.
std::string main_kernel(const Json& kernels) {
  std::string name = "-";
  std::int64_t most = 0;
  for (const auto& k : kernels)
    if (k.at("op") == "MatMulNBits" && k.at("count").get<std::int64_t>() > most) {
      most = k.at("count").get<std::int64_t>();
      name = k.at("kernel").get<std::string>();
    }
  return name;
}

void add_widths(Table& table, const std::string& stack, const Json& result) {
  for (const auto& c : result.at("cells")) {
    if (c.at("mode") != "captured") continue;
    const Json* eager = find_cell(result, c, "eager");
    const Json* bstar = find_bstar(result, c);
    table.rows.push_back({stack, cell(c.at("past")), cell(c.at("bucket")), cell(c.at("m")),
                          eager != nullptr ? timed(*eager, "wall_ms", "median") : "-", timed(c, "wall_ms", "median"),
                          timed(c, "gpu_ms", "median"), timed(c, "gpu_ms", "min"),
                          bstar != nullptr ? figure(bstar->at("replay")) : "",
                          bstar != nullptr ? figure(bstar->at("verify")) : "", percent(c.at("roofline_share")),
                          main_kernel(c.at("kernels"))});
    if (c.at("status") != "ok")
      table.notes.push_back(
          fmt::format("{}, past {}, M {}: {}", stack, cell(c.at("past")), cell(c.at("m")), cell(c.at("reason"))));
  }
}

void add_curves(Table& table, const std::string& stack, const Json& result) {
  for (const auto& length : result.at("lengths")) {
    std::string drift = "-";
    for (const auto& d : result.at("drift"))
      if (d.at("past") == length.at("past")) drift = percent(d.at("share"));
    table.rows.push_back({stack, cell(length.at("past")), figure(length.at("eager").at("cliff_ms")),
                          figure(length.at("captured").at("cliff_ms")),
                          figure(length.at("eager").at("tail_ms_per_row")),
                          figure(length.at("captured").at("tail_ms_per_row")), drift});
  }
}

std::vector<Table> m_scaling(const Json& stacks) {
  Table widths{"M-scaling: ms of a forward of M rows after `past` tokens",
               columns({"stack", "past", "bucket", "M", "eager", "captured", "gpu", "gpu min", "B*replay", "B*verify",
                        "roofline", "int4 kernel"}),
               {},
               {}};
  Table curves{"Cliff (M=1 to 2) and tail (per row, M >= 2), ms",
               columns({"stack", "past", "cliff eager", "cliff captured", "tail eager", "tail captured", "drift"}),
               {},
               {}};
  for (const auto& [stack, result] : stacks.items()) {
    if (failed_axis(result, widths, stack)) continue;
    add_widths(widths, stack, result);
    add_curves(curves, stack, result);
  }
  return {widths, curves};
}

std::vector<Table> capture(const Json& stacks) {
  Table stability{"Capture stability: captured width-1 steps across bucket growths",
                  columns({"stack", "steps", "replays", "share", "captures", "warm-ups", "growths", "invalidations",
                           "thrash", "tok/s"}),
                  {},
                  {}};
  Table attempts{
      "Capture at width M; allocations as (allocated, freed)",
      columns({"stack", "M", "captured", "segments", "seams", "nodes", "launches", "cold", "warm", "capture"}),
      {},
      {}};
  for (const auto& [stack, result] : stacks.items()) {
    if (failed_axis(result, stability, stack)) continue;
    const auto& s = result.at("stability");
    const auto& c = s.at("counters");
    stability.rows.push_back({stack, cell(c.at("steps")), cell(c.at("replays")), percent(s.at("replay_share")),
                              cell(c.at("captures")), cell(c.at("warm_ups")), cell(c.at("growths")),
                              cell(c.at("invalidations")), cell(s.at("recaptures")), figure(s.at("tok_per_s"))});
    if (s.at("status") != "ok") stability.notes.push_back(stack + ": " + cell(s.at("reason")));
    for (const auto& a : result.at("attempts")) {
      const auto& graph = a.at("capture");
      const bool there = a.at("captured").get<bool>();
      std::int64_t seams = 0;
      for (const auto& seam : graph.at("seams")) seams += seam.at("count").get<std::int64_t>();
      attempts.rows.push_back({stack, cell(a.at("m")),
                               a.at("status") == "ok" ? cell(a.at("captured")) : cell(a.at("status")),
                               there ? cell(graph.at("segments")) : "-", there ? std::to_string(seams) : "-",
                               there ? cell(graph.at("graph_nodes")) : "-", there ? cell(graph.at("launches")) : "-",
                               counts(a.at("cold_allocations")), counts(a.at("warm_allocations")),
                               there ? counts(graph.at("capture_allocations")) : "-"});
      if (!there) attempts.notes.push_back(fmt::format("{}, M {}: {}", stack, cell(a.at("m")), cell(a.at("reason"))));
    }
  }
  return {stability, attempts};
}

std::vector<Table> seams(const Json& stacks) {
  Table table{"Seams: eager steps inside a captured forward, Op[Reason] x n",
              columns({"stack", "M", "segments", "seams"}),
              {},
              {}};
  for (const auto& [stack, result] : stacks.items()) {
    if (failed_axis(result, table, stack)) continue;
    for (const auto& a : result)
      table.rows.push_back(
          {stack, cell(a.at("m")), a.at("captured").get<bool>() ? cell(a.at("segments")) : "-",
           a.at("captured").get<bool>() ? cell(a.at("census")) : "not captured: " + cell(a.at("reason"))});
  }
  return {table};
}

std::vector<Table> prefill(const Json& stacks) {
  Table table{"Prefill: a prompt of L ids into an empty cache, logits of the last position",
              columns({"stack", "L", "wall ms", "tok/s", "best tok/s"}),
              {},
              {}};
  for (const auto& [stack, result] : stacks.items()) {
    if (failed_axis(result, table, stack)) continue;
    for (const auto& p : result.at("points"))
      table.rows.push_back({stack, cell(p.at("length")), timed(p, "wall_ms", "median"), figure(p.at("tok_per_s")),
                            figure(p.at("tok_per_s_best"))});
    table.notes.push_back(fmt::format("{}: marginal {} tok/s, overhead {} ms", stack,
                                      figure(result.at("marginal_tok_per_s")), figure(result.at("overhead_ms"))));
  }
  return {table};
}

std::vector<Table> e2e(const Json& stacks) {
  Table table{"End-to-end greedy decode",
              columns({"stack", "tokens", "window", "replays", "step ms", "tok/s", "prefill ms"}),
              {},
              {}};
  for (const auto& [stack, r] : stacks.items()) {
    if (failed_axis(r, table, stack)) continue;
    table.rows.push_back({stack, cell(r.at("tokens")), cell(r.at("window")), cell(r.at("window_replays")),
                          timed(r, "step_wall_ms", "median"), figure(r.at("tok_per_s")), cell(r.at("prefill_ms"))});
    if (r.at("tok_per_s").at("value").is_null())
      table.notes.push_back(stack + ": " + cell(r.at("tok_per_s").at("reason")));
  }
  return {table};
}

std::vector<Table> parity(const Json& stacks) {
  Table table{"Parity: is the output right?",
              columns({"stack", "right", "captured = eager", "rows = width 1", "non-finite", "greedy ids", "against"}),
              {},
              {}};
  for (const auto& [stack, r] : stacks.items()) {
    if (failed_axis(r, table, stack)) continue;
    std::size_t captured = 0, rows = 0;
    for (const auto& w : r.at("widths")) {
      captured += w.at("captured_is_eager").get<bool>() ? 1 : 0;
      rows += w.at("rows_differ") == 0 ? 1 : 0;
    }
    const auto of = [&](std::size_t n) { return fmt::format("{} of {} widths", n, r.at("widths").size()); };
    table.rows.push_back({stack, cell(r.at("right")), of(captured), of(rows), cell(r.at("non_finite_forwards")),
                          r.at("greedy").is_null() ? "-" : cell(r.at("greedy").at("outcome")),
                          cell(r.at("reference"))});
    if (!r.at("right").get<bool>()) table.notes.push_back(stack + ": " + cell(r.at("why_wrong")));
  }
  return {table};
}

std::vector<Table> dram(const Json& stacks) {
  Table table{"Modelled bytes over time per operator group, share of the measured read bandwidth",
              columns({"stack", "M", "operator", "steps", "MB", "ms", "share"}),
              {},
              {}};
  for (const auto& [stack, r] : stacks.items()) {
    if (failed_axis(r, table, stack)) continue;
    std::string reason;
    const auto& points = r.at("points");
    if (points.size() > 1) table.notes.push_back(stack + ": the other widths are in the record, probes.dram");
    for (const auto& point : points) {
      if (&point != &points.front()) break;
      for (const auto& g : point.at("groups")) {
        if (g.at("modelled_bytes").get<std::int64_t>() < 1000) continue;
        table.rows.push_back({stack, cell(point.at("m")), cell(g.at("op")), cell(g.at("steps")),
                              fmt::format("{:.2f}", g.at("modelled_bytes").get<double>() * 1e-6),
                              timed({{"status", point.at("status")}, {"ms", g.at("ms")}}, "ms", "median"),
                              percent(g.at("share"))});
        if (g.at("share").at("value").is_null()) reason = cell(g.at("share").at("reason"));
      }
      if (point.at("status") != "ok") reason = cell(point.at("reason"));
    }
    if (!reason.empty()) table.notes.push_back(stack + ": " + reason);
  }
  return {table};
}

}  // namespace

std::vector<reports::Table> tables_of(Axis axis, const record::RunRecord& record) {
  const std::string name(name_of(axis));
  if (!record.probes.is_object() || !record.probes.contains(name)) return {};
  const Json& stacks = record.probes.at(name);
  switch (axis) {
    case Axis::parity:
      return parity(stacks);
    case Axis::m_scaling:
      return m_scaling(stacks);
    case Axis::capture:
      return capture(stacks);
    case Axis::seams:
      return seams(stacks);
    case Axis::prefill:
      return prefill(stacks);
    case Axis::e2e:
      return e2e(stacks);
    case Axis::dram:
      break;
  }
  return dram(stacks);
}

}  // namespace gonogo::bench
