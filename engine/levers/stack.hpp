// Levers: named switches of the plan. Stacks: named sets of levers that retrace the history from `before` to `latest`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gonogo::engine {

/// One switch. `off` and `on` say in a phrase what each setting does.
struct Lever {
  std::string_view name;  // "gemm"
  std::string_view off;
  std::string_view on;
};
/// All levers, in the order in which the stacks turn them on:
/// gemm       int4 and dense matmul: portable scalar tiles -> vectorised, weights read once for all rows
/// attention  transient workspaces allocated per call -> workspace from the plan (capture-safe)
/// norm       staging allocated per call for more than one row -> none (capture-safe)
/// lm_head    output projection set up per call -> prepared with the plan (capture-safe)
/// fusion     one step per node -> gate/up and elementwise chains in one step
/// overlap    kernels one after another -> programmatic dependent launch; on the cuda backend only
[[nodiscard]] std::span<const Lever> levers();

struct Stack {
  std::string name;             // "before", "marlin", ..., "latest"; "before+gemm+norm" for an explicit set
  std::vector<std::string> on;  // lever names that are on, in the order of levers()
  [[nodiscard]] bool has(std::string_view lever) const;
  friend bool operator==(const Stack&, const Stack&) = default;
};

/// before, marlin (gemm), attention, norm, lm_head, fusion, latest (overlap): each adds one lever to the one before.
[[nodiscard]] std::span<const Stack> stacks();
[[nodiscard]] const Stack& before_stack();
[[nodiscard]] const Stack& latest_stack();
/// A stack by name, or "before+gemm+norm" for an explicit set: a stack and the levers added to it. A set that some
/// stack has gets that stack's name; others are named in the order of levers(), so equal sets have equal names. Throws
/// UsageError naming what there is, and the nearest match where one is near.
[[nodiscard]] Stack parse_stack(std::string_view text);
/// A comma-separated list of them, as --levers takes it. Throws UsageError as parse_stack, and for a stack that is
/// there twice.
[[nodiscard]] std::vector<Stack> parse_stacks(std::string_view list);

}  // namespace gonogo::engine
