#include "probes/capture_attempt.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "harness/core/error.hpp"
#include "probes/token_ids.hpp"

namespace gonogo::probes {
namespace {

using engine::Mode;
using engine::StepKind;
using engine::Wanted;
using record::Better;
using record::Json;
using record::Status;

constexpr int kMostForwards = 8;  // warm-up, capture, replay and slack for segment retries

void check_options(const CaptureAttemptOptions& options, std::int64_t context) {
  if (options.m_list.empty()) throw core::UsageError("the list of widths M is empty");
  const auto [least, most] = std::minmax_element(options.m_list.begin(), options.m_list.end());
  if (*least < 1) throw core::UsageError(fmt::format("width M must be at least 1, got {}", *least));
  if (options.past < 0 || options.past + *most > context)
    throw core::UsageError(fmt::format("past {} and M {} need {} tokens, the context holds {}", options.past, *most,
                                       options.past + *most, context));
}

void attempt(engine::Session& session, std::uint64_t seed, CaptureAttempt& out) {
  const auto ids = TokenSource{seed, session.model().vocab}.range(out.past, out.m);
  const auto forward = [&](Mode mode) {
    session.rewind(out.past);
    return session.forward(ids, mode, Wanted::all_rows);
  };
  out.bucket = session.bucket();
  out.cold = forward(Mode::eager).allocations;
  out.warm = forward(Mode::eager).allocations;
  bool capture_seen = false;
  for (out.forwards = 0; out.forwards < kMostForwards && !out.captured;) {
    const auto result = forward(Mode::captured);
    ++out.forwards;
    if (!result.all_finite) {
      out.status = Status::invalid;
      out.reason = "non-finite logits";
      return;
    }
    capture_seen = capture_seen || result.kind == StepKind::capture;
    out.captured = capture_seen && result.kind == StepKind::replay;
    out.state = session.capture_state(out.m);
    if (out.state.declined) break;
  }
  out.status = Status::ok;
  out.reason = out.captured         ? ""
               : out.state.declined ? "declined: " + core::to_string(*out.state.declined)
                                    : fmt::format("no replay after {} forwards", out.forwards);
}

// Figures of the graph exist only where there is a graph.
Figure of_graph(const CaptureAttempt& a, double value) {
  if (a.status != Status::ok) return Figure::none(a.status, a.reason);
  return a.captured ? Figure::of(value) : Figure::none(Status::unmeasured, "not captured: " + a.reason);
}

Json counts_json(const std::optional<core::AllocationCounts>& counts) {
  return counts ? to_json(*counts) : Json(nullptr);
}

}  // namespace

std::vector<CaptureAttempt> attempt_captures(const Subject& subject, const CaptureAttemptOptions& options,
                                             const Monitor& monitor) {
  engine::Session& session = *subject.session;
  check_options(options, session.model().context);
  const auto widest = *std::max_element(options.m_list.begin(), options.m_list.end());
  session.reserve(options.past + widest);
  prime(session, {options.seed, session.model().vocab}, options.past);

  std::vector<CaptureAttempt> attempts;
  for (const std::int64_t m : options.m_list) {
    CaptureAttempt out;
    out.stack = subject.name;
    out.m = m;
    out.past = options.past;
    if (monitor.interrupted()) {
      out.reason = "interrupted";
    } else {
      monitor.progress(fmt::format("capture attempt: M {}", m));
      try {
        attempt(session, options.seed, out);
      } catch (const std::exception& error) {
        out.status = Status::failed;
        out.reason = error.what();
      }
    }
    attempts.push_back(std::move(out));
  }
  return attempts;
}

Json to_json(const CaptureAttempt& a) {
  return {{"m", a.m},
          {"past", a.past},
          {"bucket", a.bucket},
          {"status", name_of(a.status)},
          {"reason", a.reason},
          {"captured", a.captured},
          {"forwards", a.forwards},
          {"cold_allocations", counts_json(a.cold)},
          {"warm_allocations", counts_json(a.warm)},
          {"capture", to_json(a.state)}};
}

Metrics metrics(const CaptureAttempt& a) {
  const std::map<std::string, std::string> at{{"m", std::to_string(a.m)}};
  const auto name = [&](const char* base) { return record::metric_name(base, at); };
  const Figure captured = a.status == Status::ok ? Figure::of(a.captured ? 1 : 0) : Figure::none(a.status, a.reason);
  const auto& across = a.state.capture_allocations;
  const auto eager = [&](const std::optional<core::AllocationCounts>& counts) {
    return counts ? Figure::of(static_cast<double>(counts->allocations + counts->frees))
                  : Figure::none(a.status, a.reason);
  };
  return {{name("capture.captured"), metric(captured, "1", Better::higher)},
          {name("capture.segments"), metric(of_graph(a, a.state.segments), "1", Better::lower)},
          {name("capture.seams"), metric(of_graph(a, seam_count(a.state.seams)), "1", Better::lower)},
          {name("capture.seam_runs"), metric(of_graph(a, a.state.seam_runs), "1", Better::lower)},
          {name("capture.graph_nodes"), metric(of_graph(a, a.state.graph_nodes), "1", Better::none)},
          {name("capture.launches"), metric(of_graph(a, a.state.launches), "1", Better::lower)},
          {name("capture.allocs"),
           metric(of_graph(a, static_cast<double>(across.allocations + across.frees)), "1", Better::lower)},
          {name("capture.cold_allocs"), metric(eager(a.cold), "1", Better::lower)},
          {name("capture.warm_allocs"), metric(eager(a.warm), "1", Better::lower)}};
}

Json seams_json(const std::vector<CaptureAttempt>& attempts) {
  Json list = Json::array();
  for (const auto& a : attempts)
    list.push_back({{"m", a.m},
                    {"bucket", a.bucket},
                    {"status", name_of(a.status)},
                    {"reason", a.reason},
                    {"captured", a.captured},
                    {"segments", a.state.segments},
                    {"seam_runs", a.state.seam_runs},
                    {"seams", to_json(a.state)["seams"]},
                    {"census", census_text(a.state.seams)}});
  return list;
}

}  // namespace gonogo::probes
