#include "harness/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "harness/core/trace.hpp"

namespace gonogo::cli {
namespace {

constexpr std::int64_t kRedrawNs = 100'000'000;
constexpr std::int64_t kWidth = 24;

std::string duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string progress_line(const ProgressState& state) {
  const std::int64_t done = std::max<std::int64_t>(0, state.done);
  std::string line = state.label;
  if (state.total > 0) {
    const std::int64_t filled = kWidth * std::min(done, state.total) / state.total;
    line += fmt::format(" [{}{}] {}/{}", std::string(static_cast<std::size_t>(filled), '#'),
                        std::string(static_cast<std::size_t>(kWidth - filled), '-'), done, state.total);
  } else {
    line += fmt::format(" {}", done);
  }
  if (done == 0 || state.seconds <= 0) return line;
  const double rate = static_cast<double>(done) / state.seconds;
  line += fmt::format("  {:.3g}/s", rate);
  if (state.total > done) line += fmt::format("  {} left", duration(static_cast<double>(state.total - done) / rate));
  return line;
}

Progress::Progress(std::string label, std::int64_t total, std::FILE* stream)
    : state_{.label = std::move(label), .done = 0, .total = total, .seconds = 0},
      stream_(stream),
      visible_(::isatty(::fileno(stream)) == 1),
      start_ns_(core::steady_ns()) {
  draw();
}

Progress::~Progress() {
  if (visible_) std::fputs("\r\x1B[K", stream_);
}

void Progress::label(std::string text) { state_.label = std::move(text); }

void Progress::advance(std::int64_t steps) {
  state_.done += steps;
  if (core::steady_ns() - drawn_ns_ >= kRedrawNs) draw();
}

void Progress::draw() {
  if (!visible_) return;
  drawn_ns_ = core::steady_ns();
  state_.seconds = static_cast<double>(drawn_ns_ - start_ns_) * 1e-9;
  fmt::print(stream_, "\r{}\x1B[K", progress_line(state_));
  std::fflush(stream_);
}

}  // namespace gonogo::cli
