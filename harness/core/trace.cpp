#include "harness/core/trace.hpp"

#include <chrono>

#include "harness/core/error.hpp"

namespace gonogo::core {
namespace {
thread_local Trace* active = nullptr;  // a span must find its trace without being handed one through every kernel
}

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Trace::Trace() {
  GONOGO_EXPECT(active == nullptr, std::string("traces do not nest"));
  active = this;
}

Trace::~Trace() { active = nullptr; }

Span::Span(std::string_view name) : trace_(active) {
  if (trace_ == nullptr) return;
  index_ = trace_->spans_.size();
  trace_->spans_.push_back({std::string(name), steady_ns(), 0, trace_->depth_++});
}

Span::~Span() {
  if (trace_ == nullptr) return;
  trace_->spans_[index_].end_ns = steady_ns();
  --trace_->depth_;
}

}  // namespace gonogo::core
