#include "probes/e2e.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.hpp"
#include "probes/token_ids.hpp"

namespace gonogo::probes {
namespace {

using record::Better;
using record::Json;
using record::Status;

void check_options(const E2eOptions& o, std::int64_t context) {
  if (o.tokens < 0 || o.skip < 0)
    throw core::UsageError(fmt::format("{} tokens and a skip of {}: wanted at least 0", o.tokens, o.skip));
  if (o.prompt < 1 || o.prompt + o.tokens > context)
    throw core::UsageError(
        fmt::format("a prompt of {} ids (at least 1) and {} tokens need {} places, the context holds {}", o.prompt,
                    o.tokens, o.prompt + o.tokens, context));
}

std::span<const engine::ForwardTimes> window_of(const E2eResult& r) {
  return std::span(r.steps).last(static_cast<std::size_t>(r.window()));
}

std::int64_t replays_in_window(const E2eResult& r) {
  return std::count(r.kinds.end() - r.window(), r.kinds.end(), engine::StepKind::replay);
}

}  // namespace

std::int64_t E2eResult::window() const {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(steps.size()) - skip);
}

Figure E2eResult::tok_per_s() const {
  if (status != Status::ok) return Figure::none(status, reason);
  if (window() < 2)
    return Figure::none(Status::unmeasured,
                        fmt::format("{} tokens after a skip of {}: at least 2 are needed", window(), skip));
  double ms = 0;
  for (const auto& step : window_of(*this)) ms += part_ms(step, Part::wall);
  return ms > 0 ? Figure::of(static_cast<double>(window()) / ms * 1e3)
                : Figure::none(Status::invalid, "too fast to compare: the wall is 0");
}

E2eResult measure_e2e(const Subject& subject, const E2eOptions& options, const Monitor& monitor) {
  engine::Session& session = *subject.session;
  check_options(options, session.model().context);
  E2eResult result;
  result.stack = subject.name;
  result.prompt = options.prompt;
  result.tokens_asked = options.tokens;
  result.skip = options.skip;
  monitor.progress(fmt::format("e2e: {} tokens", options.tokens));
  session.rewind(0);
  const auto prompt = TokenSource{options.seed, session.model().vocab}.range(0, options.prompt);
  const auto prefill = session.forward(prompt, engine::Mode::eager, engine::Wanted::last_id);
  result.prefill = prefill.times;
  bool finite = prefill.all_finite;
  std::int64_t id = prefill.argmax.back();
  for (std::int64_t i = 0; i < options.tokens; ++i) {
    if (monitor.interrupted()) {
      result.reason = fmt::format("interrupted after {} of {} tokens", i, options.tokens);
      return result;
    }
    const auto out = session.forward({&id, 1}, engine::Mode::captured, engine::Wanted::last_id);
    finite = finite && out.all_finite;
    id = out.argmax.back();
    result.ids.push_back(id);
    result.steps.push_back(out.times);
    result.kinds.push_back(out.kind);
  }
  result.status = finite ? Status::ok : Status::invalid;
  result.reason = finite ? "" : "non-finite logits";
  return result;
}

Json to_json(const E2eResult& r) {
  return {{"status", name_of(r.status)},
          {"reason", r.reason},
          {"prompt_tokens", r.prompt},
          {"tokens_asked", r.tokens_asked},
          {"tokens", r.steps.size()},
          {"skip", r.skip},
          {"window", r.window()},
          {"window_replays", replays_in_window(r)},
          {"tok_per_s", to_json(r.tok_per_s())},
          {"step_wall_ms", to_json(summarize(window_of(r), Part::wall))},
          {"prefill_ms", part_ms(r.prefill, Part::wall)},
          {"ids", r.ids}};
}

Metrics metrics(const E2eResult& r) {
  const Figure tokens =
      r.status == Status::ok ? Figure::of(static_cast<double>(r.steps.size())) : Figure::none(r.status, r.reason);
  return {{"e2e.tok_per_s", metric(r.tok_per_s(), "tok/s", Better::higher)},
          {"e2e.tokens", metric(tokens, "1", Better::none)}};
}

record::Row row(const E2eResult& r) {
  record::Row row;
  row.name = fmt::format("{}/e2e/tokens:{}", r.stack, r.tokens_asked);
  row.metric = "e2e.tok_per_s";
  row.stack = r.stack;
  row.mode = "captured";
  row.status = r.status;
  row.reason = r.reason;
  set_times(row, window_of(r));
  if (const Figure rate = r.tok_per_s(); rate.value) row.counters["tok_per_s"] = *rate.value;
  return row;
}

}  // namespace gonogo::probes
