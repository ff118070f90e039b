// A progress bar on stderr for people who watch; nothing at all when stderr is no terminal.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace gonogo::cli {

struct ProgressState {
  std::string label;
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0: unknown
  double seconds = 0;      // since the start
};

/// "label [#####-----] 15/30  4.1/s  4 s left"; no rate before the first step, no remaining time without a rate.
[[nodiscard]] std::string progress_line(const ProgressState& state);

class Progress {
 public:
  Progress(std::string label, std::int64_t total, std::FILE* stream = stderr);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void label(std::string text);
  /// Redraws at most ten times a second.
  void advance(std::int64_t steps = 1);

 private:
  void draw();
  ProgressState state_;
  std::FILE* stream_;
  bool visible_;
  std::int64_t start_ns_, drawn_ns_ = 0;
};

}  // namespace gonogo::cli
