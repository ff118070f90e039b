// Spans: named intervals on the host, kept in memory when tracing is on and mirrored to NVTX when CUDA is there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gonogo::core {

struct SpanRecord {
  std::string name;
  std::int64_t begin_ns = 0;  // steady clock
  std::int64_t end_ns = 0;
  int depth = 0;  // nesting on its thread, 0 outermost
};

/// Collects spans of the thread that made it while it lives; traces do not nest.
class Trace {
 public:
  Trace();
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  [[nodiscard]] const std::vector<SpanRecord>& spans() const { return spans_; }

 private:
  friend class Span;
  std::vector<SpanRecord> spans_;
  int depth_ = 0;
};

/// An interval from construction to destruction. Costs one branch when no trace lives on this thread.
class Span {
 public:
  explicit Span(std::string_view name);
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  std::size_t index_ = 0;
  Trace* trace_ = nullptr;
};

[[nodiscard]] std::int64_t steady_ns();

}  // namespace gonogo::core
