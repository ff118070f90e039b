#include "harness/cli/common.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <vector>

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::cli {

void add_common(OptionSet& options, CommonOptions& common) {
  options.group("Output");
  options.text("--json", common.json, "Write the run record to FILE, - for stdout");
  options.text("--csv", common.csv, "Write every sample as CSV to FILE, - for stdout");
  options.text("--md", common.md, "Write the tables as Markdown to FILE, - for stdout");
  options.text("--label", common.label, "Free text that goes into the record");
  options.flag("--list", common.list, "List what would be measured and exit");
  options.flag("--dry-run", common.dry_run, "Do everything but measure: check options, load, plan");
  options.group("Machine");
  options.choice("--backend", common.backend, {"auto", "cpu", "cuda"}, "Where to run");
  options.integer("--threads", common.threads, {0, 4096}, "CPU threads, 0 for all this process may use");
  options.integer("--seed", common.seed, {0, (std::int64_t{1} << 53)}, "Seed of every random choice");
}

void check_outputs(const CommonOptions& common) {
  struct Output {
    const char* flag;
    std::string path;
  };
  std::vector<Output> outputs;
  const auto add = [&](const char* flag, const std::optional<std::string>& path) {
    if (!path) return;
    record::check_writable(*path);
    std::error_code ignored;
    // Two names of one file are one place; devices may take several.
    const bool shared = *path != "-" && std::filesystem::is_character_file(*path, ignored);
    const std::string place = *path == "-" ? "-" : std::filesystem::weakly_canonical(*path, ignored).string();
    for (const Output& other : outputs)
      if (!shared && other.path == place)
        throw core::UsageError(
            fmt::format("{} and {} both write to {}", other.flag, flag, *path == "-" ? "stdout" : *path));
    outputs.push_back({flag, place});
  };
  add("--json", common.json);
  add("--csv", common.csv);
  add("--md", common.md);
}

}  // namespace gonogo::cli
