// Parity in the run record, and what a failed parity does to timings.
#include <nlohmann/json.hpp>
#include <array>
#include <cmath>
#include <string_view>

#include "probes/parity.hpp"

namespace gonogo::probes {
namespace {

using record::Better;
using record::Json;
using record::Status;

// Figures that stand on the clock, by the first part of their name. Everything else is a count of what happened.
constexpr std::array<std::string_view, 10> kTimed = {"decode.", "verify.",  "eager.",  "bstar.", "cliff.",
                                                     "tail.",   "prefill.", "e2e.tok", "dram.",  "roofline."};

bool timed(std::string_view name) {
  if (name == "stability.tok_per_s") return true;
  for (const auto prefix : kTimed)
    if (name.starts_with(prefix)) return true;
  return false;
}

Figure yes_or_no(const ParityResult& r, bool right) {
  return r.status == Status::ok ? Figure::of(right ? 1 : 0) : Figure::none(r.status, r.reason);
}

Figure captured_figure(const ParityResult& r) {
  for (const auto& w : r.widths)
    if (!w.replayed)
      return Figure::none(Status::unmeasured, "M = " + std::to_string(w.m) + " was not captured: " + w.not_replayed);
  return yes_or_no(r, r.captured_eager());
}

}  // namespace

Json to_json(const ParityResult& r) {
  Json widths = Json::array();
  for (const auto& w : r.widths)
    widths.push_back({{"m", w.m},
                      {"replayed", w.replayed},
                      {"not_replayed", w.not_replayed},
                      {"captured_is_eager", w.captured_is_eager},
                      {"rows_differ", w.rows_differ},
                      {"worst_row_difference", std::isfinite(w.worst) ? Json(w.worst) : Json(nullptr)},
                      {"row_bound", w.bound}});
  return {{"status", name_of(r.status)},
          {"reason", r.reason},
          {"right", r.right()},
          {"why_wrong", r.why_wrong()},
          {"rows_rule", r.backend == "cpu" ? "bitwise" : "stated tolerance"},
          {"widths", widths},
          {"non_finite_forwards", r.non_finite},
          {"reference", r.reference},
          {"greedy", r.greedy ? to_json(*r.greedy) : Json(nullptr)},
          {"greedy_ids", r.greedy_ids}};
}

Metrics metrics(const ParityResult& r) {
  const Figure nan =
      r.status == Status::ok ? Figure::of(static_cast<double>(r.non_finite)) : Figure::none(r.status, r.reason);
  return {{"parity.captured_eager", metric(captured_figure(r), "1", Better::higher)},
          {"parity.rows", metric(yes_or_no(r, r.rows()), "1", Better::higher)},
          {"parity.greedy", metric(yes_or_no(r, r.greedy && r.greedy->right()), "1", Better::higher)},
          {"parity.nan", metric(nan, "1", Better::lower)}};
}

void invalidate_timings(Metrics& metrics, const std::string& why) {
  for (auto& [name, metric] : metrics)
    if (timed(name) && metric.status == Status::ok) {
      const auto observed = metric.value;
      metric = record::absent(Status::invalid, "parity: " + why, metric.unit, metric.better);
      metric.observed = observed;
    }
}

void invalidate_rows(std::vector<record::Row>& rows, const std::string& stack, const std::string& why) {
  for (auto& row : rows)
    if (row.stack == stack && row.status == Status::ok) {
      row.status = Status::invalid;
      row.reason = "parity: " + why;
      row.counters.clear();
    }
}

}  // namespace gonogo::probes
