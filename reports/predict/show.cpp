#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "reports/predict/predict.hpp"
#include "reports/render/numbers.hpp"

namespace gonogo::reports {
namespace {

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::string fixed(double value) { return fmt::format("{:.2f}", value); }

std::string speed_text(const Prediction& row) {
  if (!row.speed_up_low) return fixed(row.speed_up);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", row.speed_up, *row.speed_up_low, *row.speed_up_high);
}

const Prediction* best_of(const Forecast& forecast) {
  const auto found = std::find_if(forecast.rows.begin(), forecast.rows.end(),
                                  [&](const Prediction& row) { return row.k == forecast.best; });
  return found == forecast.rows.end() ? nullptr : &*found;
}

}  // namespace

std::string headline(const Forecast& forecast) {
  const Prediction* best = best_of(forecast);
  if (best == nullptr) {
    const auto& nearest = *std::max_element(forecast.rows.begin(), forecast.rows.end(),
                                            [](const auto& a, const auto& b) { return a.speed_up < b.speed_up; });
    return fmt::format("Do not draft: the best of the lengths, k = {}, gives {:.2f} of plain decoding.", nearest.k,
                       nearest.speed_up);
  }
  auto text = fmt::format("Draft k* = {} tokens: {:.2f} times as fast as plain decoding", best->k, best->speed_up);
  if (forecast.decode_ms)
    text += fmt::format(" ({} -> {} tok/s)", significant(1000 / *forecast.decode_ms),
                        significant(1000 / *forecast.decode_ms * best->speed_up));
  text += best->break_even_rate ? fmt::format("; breaks even at {:.2f} accepted per token", *best->break_even_rate)
                                : std::string();
  if (best->speed_up_low && *best->speed_up_low <= 1) text += "; its 95 % interval holds 1: too few verifies to tell";
  return text + ".";
}

Table to_table(const Forecast& forecast) {
  Table table{.title = "",
              .columns = {{"k"},
                          {"M"},
                          {"B(M)"},
                          {"tokens/verify"},
                          {"speed-up"},
                          {"tok/s"},
                          {"break-even tokens"},
                          {"break-even rate"},
                          {"", Align::left}},
              .rows = {},
              .notes = {}};
  for (const Prediction& row : forecast.rows)
    table.rows.push_back(
        {fmt::format("{}", row.k), fmt::format("{}", row.k + 1),
         fmt::format("{}{}", row.cost.measured ? "" : "~", fixed(row.cost.value)), fixed(row.committed.mean),
         speed_text(row),
         forecast.decode_ms ? significant(1000 / *forecast.decode_ms * row.speed_up) : std::string("-"),
         fixed(row.break_even), or_dash(row.break_even_rate, fixed), row.k == forecast.best ? "<- k*" : ""});
  table.notes.push_back(
      fmt::format("B(M): {} of stack {} after {} cached tokens; ~ lies on the line between two measured "
                  "widths.",
                  forecast.curve_name, forecast.stack, forecast.past));
  for (const auto& note : forecast.notes) table.notes.push_back(note);
  return table;
}

Json to_json(const Forecast& forecast) {
  Json rows = Json::array();
  for (const Prediction& row : forecast.rows)
    rows.push_back(
        {{"k", row.k},
         {"m", row.k + 1},
         {"cost", row.cost.value},
         {"cost_measured", row.cost.measured},
         {"committed", row.committed.mean},
         {"committed_half_width_95", or_null(row.committed.half_width)},
         {"speed_up", row.speed_up},
         {"speed_up_95", row.speed_up_low ? Json::array({*row.speed_up_low, *row.speed_up_high}) : Json(nullptr)},
         {"break_even_committed", row.break_even},
         {"break_even_rate", or_null(row.break_even_rate)}});
  return {{"schema", "gonogo/prediction"}, {"schema_version", 1},          {"stack", forecast.stack},
          {"past", forecast.past},         {"curve", forecast.curve_name}, {"decode_ms", or_null(forecast.decode_ms)},
          {"best_k", forecast.best},       {"rows", std::move(rows)},      {"notes", forecast.notes}};
}

}  // namespace gonogo::reports
