// What a session asks of a backend beyond the capture machine: plans, inputs, whole eager forwards, results, times.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/capture/executor.hpp"
#include "engine/kv/cache.hpp"
#include "engine/plan/plan.hpp"
#include "engine/session/session.hpp"

namespace gonogo::engine {

/// What changes from step to step; written into a plan's input buffers.
struct StepInputs {
  std::span<const std::int64_t> ids;
  std::int64_t past = 0;  // tokens in the cache before this step
};

/// What the host got of a forward; valid until the next one.
struct Readback {
  std::span<const float> logits;         // empty unless logits were wanted
  std::span<const std::int64_t> argmax;  // empty when nothing was wanted
  bool all_finite = true;
};

/// Order of a forward: stage(), begin(), then run_eager() or the capture machine, then read(), then times().
class SessionExecutor : public capture::Executor {
 public:
  /// The plan of a key, made on first use.
  [[nodiscard]] virtual const Plan& plan(const capture::Key& key) = 0;

  /// Puts a forward's inputs where it reads them; makes the buffers on first use. A captured forward has buffers of its
  /// own, eager ones share theirs.
  virtual void stage(const capture::Key& key, const StepInputs& inputs, Mode mode) = 0;
  /// The forward's time starts here.
  virtual void begin() = 0;
  virtual void run_eager(const capture::Key& key) = 0;
  /// Ends the forward's compute time, waits, and brings what is wanted to the host.
  virtual Readback read(const capture::Key& key, Mode mode, Wanted wanted) = 0;
  /// gpu_ns and d2h_ns of the last forward.
  [[nodiscard]] virtual ForwardTimes times() const = 0;

  /// Device times of the steps of an eager forward, in place of run_eager(): nanoseconds in plan order, each step by
  /// itself. Empty where a backend's steps are timed by trace spans; nothing has run then.
  [[nodiscard]] virtual std::vector<std::int64_t> time_steps(const capture::Key& key) {
    (void)key;
    return {};
  }

  /// Forgets plans and buffers; recordings made over them must be gone.
  virtual void clear() = 0;
  /// Host threads that compute.
  [[nodiscard]] virtual int threads() const = 0;
};

/// A backend as a session needs it: its name, memory for the cache, and an executor for a program.
struct Backend {
  std::string name;  // "cpu", "cuda"
  std::function<std::unique_ptr<KvStorage>(const std::vector<KvShape>&)> storage;
  std::function<std::unique_ptr<SessionExecutor>(std::shared_ptr<const Program>, const KvCache&)> executor;
  std::shared_ptr<const KernelSource> kernels;  // null: the operators' own
};

}  // namespace gonogo::engine
