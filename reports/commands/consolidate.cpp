#include "reports/decisions/consolidate.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <system_error>

#include "reports/commands/command.hpp"
#include "reports/render/numbers.hpp"

namespace gonogo::reports {
namespace {

class ConsolidateCommand final : public Command {
 public:
  std::string name() const override { return "consolidate"; }
  std::string description() const override {
    return "Merge the inbox into decisions.md; archive what is past its size";
  }

  void declare(cli::OptionSet& options) override {
    options.text("--decisions", folder_, "The decisions folder");
    options.integer("--limit", limit_, {1024, std::int64_t{1} << 30}, "Bytes that decisions.md may have");
    options.flag("--dry-run", dry_run_, "Say what would be done and do nothing");
  }

  core::ExitCode run() override {
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder_, ignored))
      throw core::UsageError(fmt::format("there is no folder {} (--decisions DIR)", folder_));
    const auto plan = plan_consolidation(read_store(folder_), static_cast<std::size_t>(limit_));
    if (!dry_run_) run_steps(plan.steps);
    const auto ids = [](const std::vector<std::string>& list) {
      return list.empty() ? std::string("none") : fmt::format("{}", fmt::join(list, ", "));
    };
    fmt::print("{}decisions.md: {} -> {}\nmerged:   {}\narchived: {}\n", dry_run_ ? "would be, " : "",
               bytes(static_cast<double>(plan.bytes_before)), bytes(static_cast<double>(plan.bytes_after)),
               ids(plan.merged), ids(plan.archived));
    if (plan.bytes_after <= static_cast<std::size_t>(limit_)) return core::ExitCode::ok;
    throw core::ResultError(fmt::format("{}/decisions.md has {} with every decision archived: shorten its own text",
                                        folder_, bytes(static_cast<double>(plan.bytes_after))));
  }

 private:
  std::string folder_ = "decisions";
  std::int64_t limit_ = static_cast<std::int64_t>(kLedgerLimit);
  bool dry_run_ = false;
};

}  // namespace

std::unique_ptr<Command> consolidate_command() { return std::make_unique<ConsolidateCommand>(); }

}  // namespace gonogo::reports
