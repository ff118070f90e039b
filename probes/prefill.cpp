#include "probes/prefill.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <exception>

#include "harness/core/error.hpp"
#include "harness/measure/interleave.hpp"
#include "probes/token_ids.hpp"

namespace gonogo::probes {
namespace {

using record::Better;
using record::Json;
using record::Status;

void check_options(Subjects subjects, const PrefillOptions& options) {
  if (options.lengths.empty()) throw core::UsageError("the list of prefill lengths is empty");
  if (options.iters < 1)
    throw core::UsageError(fmt::format("prefill iterations must be at least 1, got {}", options.iters));
  for (const auto& subject : subjects)
    for (const std::int64_t length : options.lengths)
      if (length < 1 || length > subject.session->model().context)
        throw core::UsageError(
            fmt::format("a prefill of {} ids: wanted 1 to {}, the context", length, subject.session->model().context));
}

void stop(PrefillPoint& point, Status status, std::string reason) {
  point.status = status;
  point.reason = std::move(reason);
}

// One prompt into the emptied cache; `timed` keeps the sample.
void run_once(const Subject& subject, const PrefillOptions& options, PrefillPoint& point, bool timed) {
  try {
    engine::Session& session = *subject.session;
    const auto ids = TokenSource{options.seed, session.model().vocab}.range(0, point.length);
    session.rewind(0);
    const auto result = session.forward(ids, engine::Mode::eager, engine::Wanted::last_id);
    if (!result.all_finite) return stop(point, Status::invalid, "non-finite logits");
    if (timed) point.samples.push_back(result.times);
  } catch (const std::exception& error) {
    stop(point, Status::failed, error.what());
  }
}

bool measure_length(Subjects subjects, const PrefillOptions& options, std::int64_t length,
                    std::vector<PrefillResult>& results, const Monitor& monitor) {
  for (auto& result : results) result.points.push_back({length, Status::ok, "", {}});
  for (std::size_t k = 0; k < subjects.size(); ++k)
    if (!monitor.interrupted()) run_once(subjects[k], options, results[k].points.back(), /*timed=*/false);
  for (const std::size_t k : measure::interleave(subjects.size(), static_cast<std::size_t>(options.iters))) {
    if (monitor.interrupted()) {
      for (auto& result : results)
        if (result.points.back().status == Status::ok && result.points.back().samples.empty())
          stop(result.points.back(), Status::unmeasured, "interrupted");
      return false;
    }
    auto& point = results[k].points.back();
    if (point.status == Status::ok) run_once(subjects[k], options, point, /*timed=*/true);
  }
  return true;
}

Figure wall(const PrefillPoint& point, std::optional<double> stats::Summary::*which) {
  if (point.status != Status::ok) return Figure::none(point.status, point.reason);
  const auto value = summarize(point.samples, Part::wall).*which;
  return value ? Figure::of(*value) : Figure::none(Status::unmeasured, "no samples");
}

Figure tok_per_s(const PrefillPoint& point, std::optional<double> stats::Summary::*which) {
  const Figure ms = wall(point, which);
  if (!ms.value) return ms;
  if (*ms.value <= 0) return Figure::none(Status::invalid, "too fast to compare: the wall is 0");
  return Figure::of(static_cast<double>(point.length) / *ms.value * 1e3);
}

void fit(PrefillResult& result) {
  std::vector<double> lengths, walls;
  for (const auto& point : result.points)
    if (const Figure ms = wall(point, &stats::Summary::median); ms.value) {
      lengths.push_back(static_cast<double>(point.length));
      walls.push_back(*ms.value);
    }
  const auto slope = stats::theil_sen_slope(lengths, walls);
  const auto intercept = stats::theil_sen_intercept(lengths, walls);
  const Figure too_few = Figure::none(Status::unmeasured, "fewer than two lengths");
  result.ms_per_token = slope ? Figure::of(*slope) : too_few;
  result.overhead_ms = intercept ? Figure::of(*intercept) : too_few;
}

Figure marginal_tok_per_s(const PrefillResult& result) {
  if (!result.ms_per_token.value) return result.ms_per_token;
  if (*result.ms_per_token.value <= 0)
    return Figure::none(Status::invalid, fmt::format("the slope is {:.3g} ms a token", *result.ms_per_token.value));
  return Figure::of(1e3 / *result.ms_per_token.value);
}

}  // namespace

std::vector<PrefillResult> measure_prefill(Subjects subjects, const PrefillOptions& options, const Monitor& monitor) {
  check_options(subjects, options);
  std::vector<PrefillResult> results;
  for (const auto& subject : subjects) results.push_back({subject.name, {}, false, {}, {}});
  bool whole = true;
  for (const std::int64_t length : options.lengths) {
    monitor.progress(fmt::format("prefill: {} ids", length));
    whole = whole && measure_length(subjects, options, length, results, monitor);
    if (!whole) break;
  }
  for (auto& result : results) {
    result.complete = whole;
    fit(result);
  }
  return results;
}

Json to_json(const PrefillResult& r) {
  Json points = Json::array();
  for (const auto& p : r.points)
    points.push_back({{"length", p.length},
                      {"status", name_of(p.status)},
                      {"reason", p.reason},
                      {"tok_per_s", to_json(tok_per_s(p, &stats::Summary::median))},
                      {"tok_per_s_best", to_json(tok_per_s(p, &stats::Summary::min))},
                      {"wall_ms", to_json(summarize(p.samples, Part::wall))},
                      {"gpu_ms", to_json(summarize(p.samples, Part::gpu))}});
  return {{"complete", r.complete},
          {"logits", "last position"},
          {"points", points},
          {"ms_per_token", to_json(r.ms_per_token)},
          {"marginal_tok_per_s", to_json(marginal_tok_per_s(r))},
          {"overhead_ms", to_json(r.overhead_ms)}};
}

Metrics metrics(const PrefillResult& r) {
  Metrics out;
  for (const auto& p : r.points)
    out[record::metric_name("prefill.tok_per_s", {{"l", std::to_string(p.length)}})] =
        metric(tok_per_s(p, &stats::Summary::median), "tok/s", Better::higher);
  out["prefill.marginal_tok_per_s"] = metric(marginal_tok_per_s(r), "tok/s", Better::higher);
  out["prefill.overhead_ms"] = metric(r.overhead_ms, "ms", Better::lower);
  return out;
}

std::vector<record::Row> rows(const PrefillResult& r) {
  std::vector<record::Row> rows;
  for (const auto& p : r.points) {
    record::Row row;
    row.name = fmt::format("{}/prefill/l:{}", r.stack, p.length);
    row.metric = record::metric_name("prefill.tok_per_s", {{"l", std::to_string(p.length)}});
    row.stack = r.stack;
    row.mode = "eager";
    row.status = p.status;
    row.reason = p.reason;
    set_times(row, p.samples);
    if (const Figure rate = tok_per_s(p, &stats::Summary::median); rate.value) row.counters["tok_per_s"] = *rate.value;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace gonogo::probes
