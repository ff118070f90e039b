// A session: one model, one stack of levers, one KV cache, stepped forward. The interface probes measure through;
// backends implement it, tests fake it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/levers/stack.hpp"
#include "harness/core/allocation.hpp"
#include "harness/core/eligibility.hpp"
#include "harness/core/work.hpp"

namespace gonogo::engine {

/// What the graph and its files say about the model; path-free, fit for a record.
struct ModelFacts {
  std::string name;          // preset name, else the folder's name
  std::string weights_hash;  // of the .onnx file and the external data
  std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, vocab = 0;
  std::int64_t context = 0;       // most tokens the cache may hold
  std::int64_t weight_bytes = 0;  // all constants on disk
  core::Work step;                // byte and FLOP model of a width-1 step at past 0
  std::string io_dtype;           // "float32", "float16"
};

enum class Mode { eager, captured };

/// What the host receives from a forward. Ids are the greedy ones: a device picks them itself, so that a verify need
/// not move the logits.
enum class Wanted {
  nothing,
  last_id,   // the id of the last row
  all_ids,   // one id a row
  last_row,  // logits and id of the last row
  all_rows,  // logits and id of every row
};
[[nodiscard]] constexpr bool wants_all(Wanted wanted) {
  return wanted == Wanted::all_ids || wanted == Wanted::all_rows;
}
[[nodiscard]] constexpr bool wants_logits(Wanted wanted) {
  return wanted == Wanted::last_row || wanted == Wanted::all_rows;
}

/// Where the time of a forward went, nanoseconds. gpu: device (on the cpu backend: compute) wall; d2h: copying what the
/// host needs; host: the rest. Source: docs/measuring.md, "Numbers".
struct ForwardTimes {
  std::int64_t gpu_ns = 0;
  std::int64_t d2h_ns = 0;
  std::int64_t host_ns = 0;
  [[nodiscard]] std::int64_t wall_ns() const { return gpu_ns + d2h_ns + host_ns; }
};

/// How a forward was carried out.
enum class StepKind { eager, warm_up, capture, replay };

struct ForwardResult {
  StepKind kind = StepKind::eager;
  ForwardTimes times;
  /// Logits as float32, [rows, vocab], where Wanted asked for them; valid until the next call on the session.
  std::span<const float> logits;
  /// Greedy ids, lowest index wins a tie; one per row that Wanted asked for; valid as long.
  std::span<const std::int64_t> argmax;
  bool all_finite = true;  // over the logits of the rows of `argmax`
  /// Allocations and frees of the backend's memory across this forward: cold, warm or capturing, as it was carried out.
  core::AllocationCounts allocations;
};

/// Counters of the capture machine. captures + replays + warm_ups == steps, always.
struct CaptureCounters {
  std::int64_t steps = 0;  // forwards asked with Mode::captured
  std::int64_t warm_ups = 0;
  std::int64_t captures = 0;
  std::int64_t replays = 0;
  std::int64_t declines = 0;       // steps carried out eagerly because the machine declined (counted as warm_ups too)
  std::int64_t invalidations = 0;  // graphs dropped
  std::int64_t growths = 0;        // KV bucket growths
};

/// An eager step inside a captured forward.
struct Seam {
  std::string op;      // "GroupQueryAttention"
  std::string reason;  // "KernelCaptureUnsupported", "KernelNotWarmed"...
  std::string kernel;
  int count = 0;
};

/// The state of the (bucket, width) graph that the next captured forward of this width would use.
struct CaptureState {
  std::string state;                           // "cold", "warm", "ready", "declined"
  std::optional<core::Refusal> declined;       // when declined
  int segments = 0;                            // captured runs
  int seam_runs = 0;                           // maximal runs of eager steps between them
  int graph_nodes = 0;                         // steps inside captured segments
  int launches = 0;                            // segments + eager steps: what the host starts per step
  std::vector<Seam> seams;                     // sorted by op, then reason
  core::AllocationCounts capture_allocations;  // across the capture; (0, 0) is required
};

struct StepKernel {
  std::string op;
  std::string kernel;
  int count = 0;
  friend bool operator==(const StepKernel&, const StepKernel&) = default;
};

/// The plan of one width: what runs, printable and hashable.
struct PlanFacts {
  std::string hash;
  std::int64_t width = 0;
  int steps = 0;
  std::int64_t arena_bytes = 0;
  std::vector<StepKernel> kernels;      // per operator
  std::map<std::string, int> rewrites;  // how often each applied
  core::Work work;                      // at the bucket's capacity 0 past
  std::string text;                     // one line a step
};

/// One step of a width's plan with its byte and FLOP model, in plan order.
struct StepCost {
  std::string node;  // as the graph names it; also the name of the step's trace span in an eager forward
  std::string op;
  std::string kernel;
  core::Work work;
};

struct SessionOptions {
  Stack stack = latest_stack();
  int threads = 0;                // 0: all this process may use
  std::int64_t context = 0;       // 0: as the model says
  bool int8_activations = false;  // honour accuracy_level 4 (see ops::KernelChoice)
};

class Session {
 public:
  virtual ~Session() = default;

  [[nodiscard]] virtual const ModelFacts& model() const = 0;
  [[nodiscard]] virtual const Stack& stack() const = 0;
  [[nodiscard]] virtual std::string backend() const = 0;  // "cpu", "cuda"
  [[nodiscard]] virtual int threads() const = 0;

  /// Appends `ids` (M = ids.size() rows) after the `length()` tokens in the cache and advances it by M.
  /// Throws UsageError for M = 0, an id outside the vocabulary, or a full cache (with the numbers).
  virtual ForwardResult forward(std::span<const std::int64_t> ids, Mode mode, Wanted wanted) = 0;

  /// Tokens in the cache; forget those past `length` (0 <= length <= length()).
  [[nodiscard]] virtual std::int64_t length() const = 0;
  virtual void rewind(std::int64_t length) = 0;

  /// Capacity of the current KV bucket: powers of two from 256, the last clamped to the context.
  [[nodiscard]] virtual std::int64_t bucket() const = 0;
  /// Grows the cache (if needed) so that `length` tokens fit; counts as a growth when it moves data.
  virtual void reserve(std::int64_t length) = 0;

  [[nodiscard]] virtual CaptureCounters counters() const = 0;
  [[nodiscard]] virtual CaptureState capture_state(std::int64_t width) const = 0;
  /// Drops every graph and plan, as if the session were new; the cache keeps its tokens. Counters go on.
  virtual void drop_graphs() = 0;

  [[nodiscard]] virtual PlanFacts plan(std::int64_t width) const = 0;
  /// Modelled work of one forward of `width` rows after `past` tokens.
  [[nodiscard]] virtual core::Work work(std::int64_t width, std::int64_t past) const = 0;
  /// One eager forward that times every step by itself: nanoseconds, in the order of step_costs(). Empty, with nothing
  /// run, where an eager forward's trace spans time its steps.
  [[nodiscard]] virtual std::vector<std::int64_t> time_steps([[maybe_unused]] std::span<const std::int64_t> ids) {
    return {};
  }
  /// work() step by step; empty where a backend cannot time its steps.
  [[nodiscard]] virtual std::vector<StepCost> step_costs([[maybe_unused]] std::int64_t width,
                                                         [[maybe_unused]] std::int64_t past) const {
    return {};
  }
};

/// A model as the user names it: a folder, a .onnx file, or "preset:NAME" (already written to the cache by the caller).
struct ModelSource {
  std::filesystem::path file;  // the .onnx file
  std::string name;            // for records
};

/// Loads, rewrites, checks and plans; after this only shapes and lengths can be wrong.
/// Throws core::InputError naming file and node.
[[nodiscard]] std::unique_ptr<Session> open_cpu_session(const ModelSource& source, const SessionOptions& options);

/// The shared part of several sessions over one model (two stacks interleaved): loads once, opens many.
class LoadedModel;
[[nodiscard]] std::shared_ptr<const LoadedModel> load_model(const ModelSource& source);
[[nodiscard]] std::unique_ptr<Session> open_cpu_session(std::shared_ptr<const LoadedModel> model,
                                                        const SessionOptions& options);

}  // namespace gonogo::engine
