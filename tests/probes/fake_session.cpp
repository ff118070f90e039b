#include "tests/probes/fake_session.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "harness/core/error.hpp"
#include "harness/core/trace.hpp"

namespace gonogo::tests {
namespace {

using engine::Mode;
using engine::StepKind;
using engine::Wanted;

// Logits that depend on all ids up to a position and on nothing else.
void make_row(std::span<const std::int64_t> prefix, std::span<float> row) {
  std::uint64_t hash = 1469598103934665603ULL;
  for (const auto id : prefix) hash = (hash ^ static_cast<std::uint64_t>(id)) * 1099511628211ULL;
  for (std::size_t i = 0; i < row.size(); ++i) {
    hash = (hash ^ i) * 1099511628211ULL;
    row[i] = static_cast<float>((hash >> 20) % 10000) * 1e-3F;
  }
}

// A span that takes time: at least 20 microseconds.
void spend(const std::string& name) {
  const core::Span span(name);
  const auto until = core::steady_ns() + 20'000;
  while (core::steady_ns() < until) {
  }
}

}  // namespace

FakeSession::FakeSession(FakeScript script) : script_(std::move(script)) {
  facts_.name = "fake";
  facts_.vocab = script_.vocab;
  facts_.context = script_.context;
  facts_.io_dtype = "float32";
  facts_.step = script_.work;
  stack_.name = script_.name;
  bucket_ = std::min<std::int64_t>(256, script_.context);
}

void FakeSession::rewind(std::int64_t length) {
  GONOGO_EXPECT(length >= 0 && length <= this->length(), std::to_string(length));
  history_.resize(static_cast<std::size_t>(length));
}

void FakeSession::reserve(std::int64_t length) {
  if (length > script_.context)
    throw core::UsageError(std::to_string(length) + " tokens do not fit in a cache of " +
                           std::to_string(script_.context));
  if (length <= bucket_) return;
  const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(length)));
  bucket_ = std::min(power, script_.context);
  ++counters_.growths;
  for (const auto& [width, graph] : graphs_) counters_.invalidations += graph.state == 2 ? 1 : 0;
  graphs_.clear();
}

StepKind FakeSession::step(std::int64_t width) {
  ++counters_.steps;
  Graph& graph = graphs_[width];
  if (script_.declined) {
    ++counters_.warm_ups;
    ++counters_.declines;
    return StepKind::eager;
  }
  if (graph.state == 0) {
    graph.state = 1;
    ++counters_.warm_ups;
    return StepKind::warm_up;
  }
  if (graph.state == 1) {
    graph.state = 2;
    ++counters_.captures;
    return StepKind::capture;
  }
  ++counters_.replays;
  if (script_.replays_until_drop > 0 && ++graph.replays == script_.replays_until_drop) {
    graph = {};
    ++counters_.invalidations;
  }
  return StepKind::replay;
}

void FakeSession::make_logits(const FakeCall& call, std::int64_t rows) {
  const auto vocab = static_cast<std::size_t>(script_.vocab);
  logits_.assign(static_cast<std::size_t>(rows) * vocab, 0.0F);
  argmax_.clear();
  finite_ = true;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto row = std::span(logits_).subspan(static_cast<std::size_t>(r) * vocab, vocab);
    const auto length = history_.size() - static_cast<std::size_t>(rows - 1 - r);
    make_row(std::span<const std::int64_t>(history_).first(length), row);
    script_.spoil(call, r, row);
    argmax_.push_back(std::max_element(row.begin(), row.end()) - row.begin());
    finite_ = finite_ && std::all_of(row.begin(), row.end(), [](float v) { return std::isfinite(v); });
  }
}

engine::ForwardResult FakeSession::forward(std::span<const std::int64_t> ids, Mode mode, Wanted wanted) {
  FakeCall call{script_.name,
                static_cast<std::int64_t>(ids.size()),
                length(),
                mode,
                StepKind::eager,
                wanted,
                {ids.begin(), ids.end()}};
  if (ids.empty()) throw core::UsageError("a forward of 0 rows");
  for (const auto id : ids)
    if (id < 0 || id >= script_.vocab)
      throw core::UsageError("id " + std::to_string(id) + " is outside the vocabulary");
  script_.fault(call);
  reserve(length() + call.width);
  if (mode == Mode::captured) call.kind = step(call.width);
  if (mode == Mode::eager)
    for (const auto& name : script_.spans) spend(name);
  history_.insert(history_.end(), ids.begin(), ids.end());
  make_logits(call, wanted == Wanted::nothing ? 0 : engine::wants_all(wanted) ? call.width : 1);
  engine::ForwardResult result;
  result.kind = call.kind;
  result.times = script_.times(call);
  if (engine::wants_logits(wanted)) result.logits = logits_;
  result.argmax = argmax_;
  result.all_finite = finite_;
  result.allocations = script_.allocations(call);
  script_.journal->push_back(std::move(call));
  return result;
}

engine::CaptureCounters FakeSession::counters() const {
  auto counters = counters_;
  script_.skew(counters);
  return counters;
}

engine::CaptureState FakeSession::capture_state(std::int64_t width) const {
  engine::CaptureState state;
  const auto at = graphs_.find(width);
  const int reached = at == graphs_.end() ? 0 : at->second.state;
  state.state = script_.declined ? "declined" : reached == 0 ? "cold" : reached == 1 ? "warm" : "ready";
  state.declined = script_.declined;
  if (reached < 2) return state;
  state.seams = script_.seams;
  int seams = 0;
  for (const auto& seam : script_.seams) seams += seam.count;
  state.segments = seams + 1;
  state.seam_runs = seams;
  state.graph_nodes = 10;
  state.launches = state.segments + seams;
  state.capture_allocations = script_.capture_allocations;
  return state;
}

engine::PlanFacts FakeSession::plan(std::int64_t width) const {
  engine::PlanFacts plan;
  plan.width = width;
  plan.hash = "fake-" + std::to_string(width);
  plan.kernels = {{"MatMulNBits", width < 8 ? "narrow" : "wide", 3}};
  return plan;
}

core::Work FakeSession::work(std::int64_t width, std::int64_t past) const {
  core::Work work = script_.work;
  work.activation_bytes = width * 1000;
  work.kv_bytes = past * 100;
  return work;
}

}  // namespace gonogo::tests
