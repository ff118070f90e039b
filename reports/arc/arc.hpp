// From BEFORE to now: one row per stack of each record, in the order given, and what changed between the ends.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reports/arc/metrics.hpp"
#include "reports/gates/gate.hpp"
#include "reports/render/table.hpp"

namespace gonogo::reports {

struct ArcInput {
  std::string file;
  const Json* record = nullptr;
};

struct ArcRequest {
  std::int64_t m = 8;
  std::string stack;                 // empty: every stack of a record
  std::string past;                  // empty: the largest length that most rows have
  std::string prompt;                // prefill length; the same
  std::string op;                    // of the DRAM share; empty: gate_up, else the one most rows have
  std::string gate_id;               // whose outcome is shown
  std::vector<std::string> allowed;  // of "device", "model": may differ between rows
};

struct ArcRow {
  std::string step, commit, device, model, file;
  Figure segments, seams, decode_ms, verify_ms, bstar, prefill, dram;
  std::string outcome;  // of the gate: "PASS"...
};

struct Arc {
  std::int64_t m = 8;
  std::string past, prompt, op, gate_id;
  std::string time_name;  // "wall" or "gpu": what the absolute times are; one for all rows
  std::vector<ArcRow> rows;
  std::vector<std::pair<std::string, double>> bounds;  // of the gate on B*, "go" and "no-go"
  std::vector<std::string> notes;
};

/// Throws core::EnvironmentError when rows are of different devices or models that are not allowed to differ,
/// core::UsageError when a stack, length or operator is asked for that no record has, or when there is no row.
[[nodiscard]] Arc build_arc(std::span<const ArcInput> inputs, const ArcRequest& request, std::span<const Gate> gates);

/// One row a step, the last one what changed.
[[nodiscard]] Table to_table(const Arc& arc);
/// Bars of M=m and B* as text.
[[nodiscard]] std::string to_bars(const Arc& arc);
/// The same as charts for svg_file() or a page.
[[nodiscard]] std::vector<std::string> to_charts(const Arc& arc);
[[nodiscard]] Json to_json(const Arc& arc);

}  // namespace gonogo::reports
