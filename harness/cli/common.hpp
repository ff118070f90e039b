// The options that measuring programs share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/cli/options.hpp"

namespace gonogo::cli {

struct CommonOptions {
  std::optional<std::string> json, csv, md;  // FILE, or "-" for stdout
  std::int64_t seed = 1;
  std::int64_t threads = 0;  // 0: all this process may use
  std::string backend = "auto";
  std::string label;
  bool list = false;
  bool dry_run = false;

  /// A document goes to stdout, so tables and everything else must not.
  [[nodiscard]] bool stdout_is_taken() const { return json == "-" || csv == "-" || md == "-"; }
};

/// --json --csv --md --seed --threads --backend --label --list --dry-run
void add_common(OptionSet& options, CommonOptions& common);

/// Before measuring: every output can be written, and no two go to one place. Throws core::UsageError.
void check_outputs(const CommonOptions& common);

}  // namespace gonogo::cli
