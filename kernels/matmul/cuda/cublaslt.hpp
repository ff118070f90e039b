// Dense matmul through cuBLASLt, opened at run time: a program starts where the library is absent, and says so when it
// is asked for. Two forms: a call that asks for a heuristic and allocates each time, and a plan made once that a graph
// can capture.
// cuBLASLt may choose another order of the sum for another m, so row r need not have the same bits for every m.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/matmul/cuda/dense.hpp"

namespace gonogo::kernels::matmul::cuda {

class LtPlan;

/// The library and a handle on the current device.
class Lt {
 public:
  /// Throws EnvironmentError naming the library when it is absent or does not start.
  Lt();
  ~Lt();
  Lt(Lt&&) noexcept;
  Lt& operator=(Lt&&) noexcept;

  /// As eager engines do: descriptors, heuristic and a stream-ordered workspace for this one call. Not for a capture.
  void run_transient(const Problem& problem, const Args& args, core::StreamRef stream) const;

 private:
  friend class LtPlan;
  struct Api;
  std::shared_ptr<const Api> api_;
};

/// One problem with its algorithm chosen: run() neither searches nor allocates.
class LtPlan {
 public:
  /// Throws EnvironmentError when cuBLASLt has no algorithm for the problem.
  LtPlan(const Lt& lt, const Problem& problem);
  ~LtPlan();
  LtPlan(LtPlan&&) noexcept;
  LtPlan& operator=(LtPlan&&) noexcept;

  [[nodiscard]] std::size_t workspace_bytes() const;
  /// `workspace`: workspace_bytes() on the device, 256-byte aligned; null when that is 0.
  void run(const Args& args, std::byte* workspace, core::StreamRef stream) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gonogo::kernels::matmul::cuda
