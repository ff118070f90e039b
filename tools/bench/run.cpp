#include "tools/bench/run.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <exception>

#include "harness/core/error.hpp"
#include "kernels/cpu.hpp"
#include "probes/dram.hpp"
#include "probes/e2e.hpp"
#include "probes/m_curve.hpp"
#include "probes/parity.hpp"
#include "probes/prefill.hpp"
#include "probes/stability.hpp"

namespace gonogo::bench {
namespace {

using core::ExitCode;
using record::Json;
using record::Status;

constexpr double kDriftWarning = 0.03;
constexpr std::array kOrder = {Axis::parity,  Axis::m_scaling, Axis::capture, Axis::seams,
                               Axis::prefill, Axis::e2e,       Axis::dram};

probes::MScalingOptions m_scaling_options(const Options& o) {
  return {o.m_list, o.pasts, static_cast<int>(o.iters), static_cast<int>(o.warmups), o.seed()};
}

// Short enough for small contexts, and beside the lengths of the timed axes.
std::int64_t short_past(const Options& o, std::int64_t context) {
  return std::clamp<std::int64_t>(context - o.m_list.back(), 0, 40);
}

probes::ParityOptions parity_options(const Options& o, std::int64_t context) {
  probes::ParityOptions parity;
  parity.m_list = o.m_list;
  parity.past = short_past(o, context);
  parity.greedy_tokens = std::clamp<std::int64_t>(context - parity.prompt, 1, parity.greedy_tokens);
  parity.seed = o.seed();
  return parity;
}

}  // namespace

Run::Run(Options options, Machine machine, record::RunRecord& record)
    : options_(std::move(options)),
      open_(std::move(machine.open)),
      ceiling_(std::move(machine.read_bandwidth)),
      record_(record) {}

Run::Opened Run::open_all() const {
  Opened opened;
  for (const auto& stack : options_.stacks) {
    opened.sessions.push_back(open_(stack));
    opened.subjects.push_back({stack.name, opened.sessions.back().get()});
  }
  return opened;
}

void Run::prepare() {
  const auto session = open_(options_.stacks.front());
  facts_ = session->model();
  backend_ = session->backend();
  threads_ = session->threads();
  const std::int64_t widest = options_.m_list.back();
  // The default length is for real models; a small one is measured at the largest power of two that half its context
  // holds.
  if (!options_.pasts_given && options_.pasts.back() + widest > facts_.context) {
    std::int64_t past = 1;
    while (past * 4 <= facts_.context) past *= 2;
    options_.pasts = {past};
    warn(fmt::format("past {} instead of the default: the context holds {} tokens", past, facts_.context));
  }
  if (options_.has(Axis::m_scaling)) (void)probes::lengths_to_measure(m_scaling_options(options_), facts_.context);
  if (widest > facts_.context)
    throw core::UsageError(fmt::format("M {} does not fit in the context of {}", widest, facts_.context));
  if (options_.has(Axis::prefill))
    for (const std::int64_t length : options_.prefill_lens)
      if (length < 1 || length > facts_.context)
        throw core::UsageError(fmt::format("--prefill-lens {}: wanted 1 to {}, the context", length, facts_.context));
  const probes::E2eOptions e2e;
  if (options_.has(Axis::e2e) && e2e.prompt + options_.e2e_tokens > facts_.context)
    throw core::UsageError(fmt::format("--e2e-tokens {} after a prompt of {} do not fit in the context of {}",
                                       options_.e2e_tokens, e2e.prompt, facts_.context));
  record_.model = to_json(facts_, options_.common.label.empty() ? facts_.name : options_.common.label);
  // Which instruction set the kernels chose; of a device its own facts say enough.
  if (backend_ == "cpu") record_.environment["devices"][0]["simd_target"] = kernels::simd_target();
  record_.options = options_.effective;
  if (options_.has(Axis::m_scaling)) record_.options["past"] = options_.pasts;
  for (const auto& s : options_.stacks) record_.stacks.push_back({s.name, s.on, {}});
}

void Run::describe_model() {
  record_.plan = Json::object();
  for (const auto& stack : options_.stacks) {
    const auto session = open_(stack);
    Json widths = Json::array();
    for (const std::int64_t m : options_.m_list) {
      const auto plan = session->plan(m);
      Json kernels = Json::array();
      for (const auto& k : plan.kernels) kernels.push_back({{"op", k.op}, {"kernel", k.kernel}, {"count", k.count}});
      widths.push_back({{"m", m},
                        {"hash", plan.hash},
                        {"steps", plan.steps},
                        {"arena_bytes", plan.arena_bytes},
                        {"kernels", kernels}});
    }
    record_.plan[stack.name] = {{"rewrites", session->plan(1).rewrites}, {"widths", widths}};
    if (&stack == &options_.stacks.back()) measure_bandwidth(*session);
  }
}

void Run::measure_bandwidth(engine::Session& session) {
  bandwidth_ = ceiling_();
  // The host's memory says nothing about a device's.
  if (!bandwidth_ && session.backend() == "cpu")
    bandwidth_ =
        probes::measure_read_bandwidth(std::max<std::int64_t>(session.work(1, 0).bytes(), 1), session.threads());
  if (bandwidth_) record_.environment["read_bandwidth"] = probes::to_json(*bandwidth_);
}

void Run::measure(const probes::Monitor& monitor, const AfterAxis& after) {
  record_.partial_reason = "running";
  record_.probes = Json::object();
  describe_model();
  for (const Axis axis : kOrder) {
    if (!options_.has(axis)) continue;
    if (monitor.interrupted()) break;
    try {
      run_axis(axis, monitor);
    } catch (const core::Error& error) {
      fail(axis, error.code(), error.what());
    } catch (const std::exception& error) {
      fail(axis, ExitCode::failed_rows, error.what());
    }
    after(axis);
  }
  if (monitor.interrupted()) {
    record_.partial_reason = "interrupted";
    outcome_ = core::stronger(outcome_, ExitCode::failed_rows);
    return;
  }
  record_.complete = true;
  record_.partial_reason.clear();
}

void Run::run_axis(Axis axis, const probes::Monitor& monitor) {
  switch (axis) {
    case Axis::parity:
      return parity(monitor);
    case Axis::m_scaling:
      return m_scaling(monitor);
    case Axis::capture:
      return capture(monitor);
    case Axis::seams:
      return seams(monitor);
    case Axis::prefill:
      return prefill(monitor);
    case Axis::e2e:
      return e2e(monitor);
    case Axis::dram:
      return dram(monitor);
  }
}

void Run::parity(const probes::Monitor& monitor) {
  // Until parity is through, no stack has shown its output to be right.
  for (const auto& s : options_.stacks) wrong_[s.name] = "parity did not finish";
  const auto opened = open_all();
  for (const auto& result :
       probes::measure_parity(opened.subjects, parity_options(options_, facts_.context), monitor)) {
    add(Axis::parity, result.stack, probes::to_json(result));
    add_metrics(result.stack, probes::metrics(result));
    wrong_[result.stack] = result.why_wrong();
    if (!result.right()) {
      outcome_ = core::stronger(outcome_, ExitCode::failed_rows);
      warn(fmt::format("stack {}: wrong output, its timings are invalid: {}", result.stack, result.why_wrong()));
    } else if (result.greedy && result.greedy->outcome == probes::GreedyOutcome::near_tie) {
      warn(fmt::format("stack {}: greedy ids part from {} at position {}, a near tie: {}", result.stack,
                       result.reference, result.greedy->position, result.greedy->reason));
    }
  }
}

void Run::m_scaling(const probes::Monitor& monitor) {
  const auto opened = open_all();
  for (auto& result : probes::measure_m_scaling(opened.subjects, m_scaling_options(options_), monitor)) {
    probes::invalidate_impossible(result, bandwidth_);
    add(Axis::m_scaling, result.stack, probes::to_json(result, bandwidth_));
    add_metrics(result.stack, probes::metrics(result, bandwidth_));
    add_rows(result.stack, probes::rows(result));
    for (const auto& drift : result.drifts)
      if (drift.share.value && std::abs(*drift.share.value) > kDriftWarning)
        warn(fmt::format("stack {}: the first point of past {} drifted by {:+.1f} % until the end", result.stack,
                         drift.past, *drift.share.value * 100));
    for (const auto& cell : result.cells)
      if (cell.status == Status::ok && !cell.warm_flat)
        warn(fmt::format("stack {}: M {} at past {}, {}: the median had not settled after {} warm-ups", result.stack,
                         cell.m, cell.past, probes::name_of(cell.mode), cell.warmups));
  }
}

const std::vector<probes::CaptureAttempt>& Run::attempts(const probes::Subject& subject,
                                                         const probes::Monitor& monitor) {
  auto& known = attempts_[subject.name];
  if (!known.empty()) return known;
  probes::CaptureAttemptOptions options;
  options.m_list = options_.m_list;
  options.past = short_past(options_, facts_.context);
  options.seed = options_.seed();
  known = probes::attempt_captures(subject, options, monitor);
  for (const auto& attempt : known) add_metrics(subject.name, probes::metrics(attempt));
  return known;
}

void Run::capture(const probes::Monitor& monitor) {
  for (const auto& s : options_.stacks) {
    const auto session = open_(s);
    const probes::StabilityOptions options{options_.capture_steps, std::min<std::int64_t>(16, facts_.context - 1),
                                           options_.seed()};
    const auto result = probes::measure_stability({s.name, session.get()}, options, monitor);
    const auto fresh = open_(s);  // attempts start cold
    Json widths = Json::array();
    for (const auto& attempt : attempts({s.name, fresh.get()}, monitor)) widths.push_back(probes::to_json(attempt));
    add(Axis::capture, s.name, {{"stability", probes::to_json(result)}, {"attempts", widths}});
    add_metrics(s.name, probes::metrics(result));
    add_rows(s.name, {probes::row(result)});
    if (result.restarts > 0)
      warn(fmt::format(
          "stack {}: {} capture steps exceed the context of {}: the sequence restarted {} times behind its prompt",
          s.name, options_.capture_steps, facts_.context, result.restarts));
    probes::require_identity(result);
  }
}

void Run::seams(const probes::Monitor& monitor) {
  for (const auto& s : options_.stacks) {
    const auto session = open_(s);
    add(Axis::seams, s.name, probes::seams_json(attempts({s.name, session.get()}, monitor)));
  }
}

void Run::prefill(const probes::Monitor& monitor) {
  const auto opened = open_all();
  const probes::PrefillOptions options{options_.prefill_lens, static_cast<int>(options_.prefill_iters),
                                       options_.seed()};
  for (const auto& result : probes::measure_prefill(opened.subjects, options, monitor)) {
    add(Axis::prefill, result.stack, probes::to_json(result));
    add_metrics(result.stack, probes::metrics(result));
    add_rows(result.stack, probes::rows(result));
  }
}

void Run::e2e(const probes::Monitor& monitor) {
  for (const auto& s : options_.stacks) {
    const auto session = open_(s);
    probes::E2eOptions options;
    options.tokens = options_.e2e_tokens;
    options.skip = options_.e2e_skip;
    options.seed = options_.seed();
    const auto result = probes::measure_e2e({s.name, session.get()}, options, monitor);
    add(Axis::e2e, s.name, probes::to_json(result));
    add_metrics(s.name, probes::metrics(result));
    add_rows(s.name, {probes::row(result)});
  }
}

void Run::dram(const probes::Monitor& monitor) {
  for (const auto& s : options_.stacks) {
    const auto session = open_(s);
    probes::DramOptions options;
    options.m_list = options_.m_list;
    options.past = short_past(options_, facts_.context);
    options.seed = options_.seed();
    const auto result = probes::measure_dram({s.name, session.get()}, options, bandwidth_, monitor);
    add(Axis::dram, s.name, probes::to_json(result));
    add_metrics(s.name, probes::metrics(result));
  }
}

record::StackResult& Run::stack(const std::string& name) {
  const auto at =
      std::find_if(record_.stacks.begin(), record_.stacks.end(), [&](const auto& s) { return s.name == name; });
  GONOGO_EXPECT(at != record_.stacks.end(), "stack " + name);
  return *at;
}

void Run::add(Axis axis, const std::string& name, Json structured) {
  record_.probes[std::string(name_of(axis))][name] = std::move(structured);
}

void Run::add_metrics(const std::string& name, probes::Metrics metrics) {
  if (!wrong_[name].empty()) probes::invalidate_timings(metrics, wrong_[name]);
  for (const auto& [key, metric] : metrics)
    if (metric.status == Status::failed) outcome_ = core::stronger(outcome_, ExitCode::failed_rows);
  auto& all = stack(name).metrics;
  for (auto& [key, metric] : metrics) all[key] = std::move(metric);
}

void Run::add_rows(const std::string& name, std::vector<record::Row> rows) {
  if (!wrong_[name].empty()) probes::invalidate_rows(rows, name, wrong_[name]);
  for (auto& row : rows) {
    row.backend = backend_;
    if (row.status == Status::failed || row.status == Status::invalid)
      outcome_ = core::stronger(outcome_, ExitCode::failed_rows);
    record_.rows.push_back(std::move(row));
  }
}

void Run::fail(Axis axis, ExitCode code, const std::string& why) {
  outcome_ = core::stronger(outcome_, code);
  warn(fmt::format("{} failed: {}", name_of(axis), why));
  auto& axis_json = record_.probes[std::string(name_of(axis))];
  for (const auto& s : options_.stacks)
    if (!axis_json.contains(s.name)) axis_json[s.name] = {{"status", "failed"}, {"reason", why}};
}

}  // namespace gonogo::bench
