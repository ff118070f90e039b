#include "probes/stability.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/error.hpp"
#include "probes/token_ids.hpp"

namespace gonogo::probes {
namespace {

using engine::StepKind;
using record::Better;
using record::Json;
using record::Status;

void count_kind(StabilityResult& result, StepKind kind) {
  ++result.seen.steps;
  if (kind == StepKind::warm_up || kind == StepKind::eager) ++result.seen.warm_ups;
  if (kind == StepKind::capture) ++result.seen.captures;
  if (kind == StepKind::replay) ++result.seen.replays;
  result.replayed.push_back(kind == StepKind::replay);
}

void count_bucket(StabilityResult& result, std::int64_t bucket, StepKind kind, std::set<std::int64_t>& captured) {
  if (result.buckets.empty() || result.buckets.back() != bucket) {
    if (!result.buckets.empty()) ++result.seen.growths;
    result.buckets.push_back(bucket);
  }
  if (kind == StepKind::capture && !captured.insert(bucket).second) ++result.recaptures;
}

void check_options(const StabilityOptions& options, std::int64_t context) {
  if (options.steps < 1) throw core::UsageError(fmt::format("capture steps must be at least 1, got {}", options.steps));
  if (options.prompt < 1 || options.prompt >= context)
    throw core::UsageError(
        fmt::format("a prompt of {} ids leaves no room in a context of {}", options.prompt, context));
}

Figure figure(const StabilityResult& result, double value) {
  return result.status == Status::ok ? Figure::of(value) : Figure::none(result.status, result.reason);
}

std::vector<engine::ForwardTimes> replays(const StabilityResult& result) {
  std::vector<engine::ForwardTimes> times;
  for (std::size_t i = 0; i < result.times.size(); ++i)
    if (result.replayed[i]) times.push_back(result.times[i]);
  return times;
}

double tok_per_s(const StabilityResult& result) {
  double ms = 0;
  for (const auto& t : result.times) ms += part_ms(t, Part::wall);
  return ms > 0 ? static_cast<double>(result.times.size()) / ms * 1e3 : 0;
}

}  // namespace

double StabilityResult::replay_share() const {
  return counters.steps > 0 ? static_cast<double>(counters.replays) / static_cast<double>(counters.steps) : 0;
}

std::string StabilityResult::broken_identity() const {
  const auto& c = counters;
  if (c.captures + c.replays + c.warm_ups != c.steps)
    return fmt::format("{} captures + {} replays + {} warm-ups != {} steps", c.captures, c.replays, c.warm_ups,
                       c.steps);
  if (c.steps != seen.steps) return fmt::format("counted {} steps, took {}", c.steps, seen.steps);
  if (c.captures != seen.captures || c.replays != seen.replays || c.warm_ups != seen.warm_ups)
    return fmt::format("counters say {}/{}/{} captures/replays/warm-ups, the steps themselves {}/{}/{}", c.captures,
                       c.replays, c.warm_ups, seen.captures, seen.replays, seen.warm_ups);
  if (c.growths != seen.growths)
    return fmt::format("counted {} growths, saw the bucket change {} times", c.growths, seen.growths);
  return "";
}

StabilityResult measure_stability(const Subject& subject, const StabilityOptions& options, const Monitor& monitor) {
  engine::Session& session = *subject.session;
  StabilityResult result;
  result.stack = subject.name;
  result.steps_asked = options.steps;
  result.prompt = options.prompt;
  result.context = session.model().context;
  check_options(options, result.context);

  const TokenSource source{options.seed, session.model().vocab};
  session.rewind(0);
  const auto prefill = session.forward(source.range(0, options.prompt), engine::Mode::eager, engine::Wanted::last_id);
  GONOGO_EXPECT(!prefill.argmax.empty(), "a forward that wanted the last row has its id");
  const std::int64_t first = prefill.argmax.back();
  std::set<std::int64_t> captured;
  result.buckets.push_back(session.bucket());
  const auto before = session.counters();
  std::int64_t id = first;
  for (std::int64_t step = 0; step < options.steps; ++step) {
    if (monitor.interrupted()) {
      result.counters = session.counters() - before;
      result.reason = fmt::format("interrupted after {} of {} steps", step, options.steps);
      return result;
    }
    if (step % 100 == 0) monitor.progress(fmt::format("capture stability: step {} of {}", step, options.steps));
    if (session.length() == result.context) {
      session.rewind(options.prompt);
      id = first;
      ++result.restarts;
    }
    const auto out = session.forward({&id, 1}, engine::Mode::captured, engine::Wanted::last_id);
    count_kind(result, out.kind);
    count_bucket(result, session.bucket(), out.kind, captured);
    result.times.push_back(out.times);
    if (!out.all_finite) ++result.non_finite;
    GONOGO_EXPECT(!out.argmax.empty(), "a forward that wanted the last row has its id");
    id = out.argmax.back();
  }
  result.counters = session.counters() - before;
  const std::string broken = result.broken_identity();
  result.status = result.non_finite > 0 ? Status::invalid : broken.empty() ? Status::ok : Status::failed;
  result.reason = result.non_finite > 0 ? fmt::format("{} steps with non-finite logits", result.non_finite) : broken;
  return result;
}

void require_identity(const StabilityResult& result) {
  const std::string broken = result.broken_identity();
  if (!broken.empty()) throw core::ResultError("capture stability of stack " + result.stack + ": " + broken);
}

Json to_json(const StabilityResult& r) {
  return {{"status", name_of(r.status)},
          {"reason", r.reason},
          {"steps_asked", r.steps_asked},
          {"prompt_tokens", r.prompt},
          {"context", r.context},
          {"counters", to_json(r.counters)},
          {"identity", r.broken_identity().empty() ? "captures + replays + warm_ups == steps" : r.broken_identity()},
          {"identity_holds", r.broken_identity().empty()},
          {"replay_share", to_json(figure(r, r.replay_share()))},
          {"buckets", r.buckets},
          {"restarts", r.restarts},
          {"recaptures", r.recaptures},
          {"non_finite_steps", r.non_finite},
          {"tok_per_s", to_json(figure(r, tok_per_s(r)))},
          {"replay_wall_ms", to_json(summarize(replays(r), Part::wall))},
          {"replay_gpu_ms", to_json(summarize(replays(r), Part::gpu))}};
}

Metrics metrics(const StabilityResult& r) {
  const auto count = [&](std::int64_t value, Better better) {
    return metric(figure(r, static_cast<double>(value)), "1", better);
  };
  return {{"stability.replay_share", metric(figure(r, r.replay_share()), "1", Better::higher)},
          {"stability.invalidations", count(r.counters.invalidations, Better::lower)},
          {"stability.growths", count(r.counters.growths, Better::none)},
          {"stability.captures", count(r.counters.captures, Better::none)},
          {"stability.replays", count(r.counters.replays, Better::higher)},
          {"stability.warm_ups", count(r.counters.warm_ups, Better::lower)},
          {"stability.steps", count(r.counters.steps, Better::none)},
          {"stability.thrash", count(r.recaptures, Better::lower)},
          {"stability.tok_per_s", metric(figure(r, tok_per_s(r)), "tok/s", Better::higher)}};
}

record::Row row(const StabilityResult& r) {
  record::Row row;
  row.name = fmt::format("{}/stability/steps:{}", r.stack, r.steps_asked);
  row.metric = "stability.tok_per_s";
  row.stack = r.stack;
  row.mode = "captured";
  row.status = r.status;
  row.reason = r.reason;
  set_times(row, r.times);
  if (r.status == Status::ok) row.counters["tok_per_s"] = tok_per_s(r);
  return row;
}

}  // namespace gonogo::probes
