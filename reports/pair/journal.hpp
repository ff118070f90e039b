// The file a paired session lives in: its plan, then one line a completed run. JSON lines.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "reports/pair/plan.hpp"
#include "reports/pair/readings.hpp"

namespace gonogo::reports {

/// A completed run.
struct Run {
  Visit visit;
  int pid = 0;
  int exit_code = 0;
  double wall_s = 0;
  double load = 0;  // load average of one minute before it started
  std::string started;
  Readings readings;  // the selected metrics only
};

struct JournalContent {
  PairPlan plan;
  std::vector<Run> runs;              // in the order of the plan's visits, without a gap
  std::vector<std::string> failures;  // runs that were tried and failed
};

/// A last line that was cut off is dropped: the run behind it is done again. Throws core::InputError with file and line
/// for anything else that is no journal, and for a run that is not the plan's next.
[[nodiscard]] JournalContent parse_journal(const std::string& text, const std::string& file);
[[nodiscard]] JournalContent read_journal(const std::filesystem::path& path);

/// Holds the file open for appending; a second session on one journal is refused.
class Journal {
 public:
  /// Starts a journal, which must not exist, or goes on with one, cutting off a broken last line.
  static Journal start(const std::filesystem::path& path, const PairPlan& plan);
  static Journal resume(const std::filesystem::path& path);
  ~Journal();
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;

  [[nodiscard]] const JournalContent& content() const { return content_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// On disk when it returns.
  void append(const Run& run);
  void append_failure(std::size_t visit, const std::string& why);

 private:
  Journal(std::filesystem::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  void write_line(Json line);
  std::filesystem::path path_;
  int descriptor_;
  JournalContent content_;
};

}  // namespace gonogo::reports
