// The options of a paired session, shared by the commands that run one.
#pragma once

#include <optional>
#include <string>

#include "harness/cli/options.hpp"
#include "reports/pair/journal.hpp"
#include "reports/pair/plan.hpp"
#include "reports/pair/session.hpp"

namespace gonogo::reports {

/// As given; absent ones are the journal's when it exists, else the plan's defaults.
struct PairOptions {
  std::optional<std::string> a, b, control, blocks, seed, metrics, stack, gpu, timeout, alpha, practical, allow,
      journal;
};

/// Which gonogo wrote a document: git sha, dirty, compiler, flags.
[[nodiscard]] Json with_build(Json document);

/// --blocks --metrics --stack --gpu --timeout --seed --journal
/// `when_unnamed`: what is taken when none is named, for --help.
void declare_session(cli::OptionSet& options, PairOptions& given, const std::string& when_unnamed);

/// Goes on with the journal where it exists, else starts it; without --journal a name with the time is taken. Throws
/// core::UsageError when an option contradicts the journal's plan, or when `metrics` named one by one can never be
/// called.
[[nodiscard]] Journal open_journal(const PairOptions& given, const std::string& command);

/// Runs it with a line on stderr a run. False when interrupted, having said how to go on.
[[nodiscard]] bool run_to_the_end(Journal& journal, const std::string& command, const SessionView& view);

}  // namespace gonogo::reports
