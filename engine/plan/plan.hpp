// The plan of one width at one cache capacity: every step with its kernel, shapes, bytes' places and cost. Immutable,
// printable, hashable; any executor runs it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/capture/executor.hpp"
#include "engine/plan/program.hpp"

namespace gonogo::engine {

/// Where an operand's bytes are.
enum class Storage {
  absent,    // an optional input that is not there
  constant,  // in the model
  arena,     // at an offset in the arena
  cache,     // a buffer of the KV cache
};

struct Operand {
  Storage storage = Storage::absent;
  core::DType dtype = core::DType::f32;
  core::Shape shape{0};
  std::size_t at = 0;                   // arena: byte offset; cache: index of the buffer
  const std::byte* constant = nullptr;  // constant: its bytes

  [[nodiscard]] std::int64_t count() const { return core::count_of(shape); }
  [[nodiscard]] ops::ValueFacts facts() const { return {dtype, shape, constant, storage != Storage::absent}; }
};

struct PlanStep {
  std::size_t index = 0;  // of the node in the program
  const graph::Node* node = nullptr;
  const ops::Op* op = nullptr;
  std::vector<Operand> inputs;   // one per node input
  std::vector<Operand> outputs;  // one per node output; one that nobody wants has storage too
  std::size_t workspace_bytes = 0;
  std::string kernel;
  core::Eligibility capture;  // whether the kernel can be recorded

  [[nodiscard]] std::vector<ops::ValueFacts> input_facts() const;
};

/// What a session writes before a step.
struct ScalarOperand {
  Operand operand;
  graph::StepScalar scalar = graph::StepScalar::none;
};

struct PlanRequest {
  PlanSize size;
  capture::Rows rows = capture::Rows::all;  // of logits
  kernels::Threads threads;                 // workspaces depend on them
};

class Plan {
 public:
  /// Throws core::InputError naming the node when a shape does not fit.
  Plan(std::shared_ptr<const Program> program, const PlanRequest& request);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  [[nodiscard]] const PlanRequest& request() const { return request_; }
  [[nodiscard]] const std::vector<PlanStep>& steps() const { return steps_; }
  [[nodiscard]] const Program& program() const { return *program_; }

  [[nodiscard]] const Operand& ids() const { return ids_; }
  [[nodiscard]] const std::optional<Operand>& positions() const { return positions_; }
  [[nodiscard]] const std::vector<ScalarOperand>& scalars() const { return scalars_; }
  [[nodiscard]] const Operand& logits() const { return logits_; }

  /// Bytes of inputs, outputs and activations; workspaces are apart.
  [[nodiscard]] std::size_t arena_bytes() const { return arena_bytes_; }
  /// The largest workspace of any step.
  [[nodiscard]] std::size_t workspace_bytes() const;

  /// Modelled bytes and FLOPs after `past` tokens.
  [[nodiscard]] core::Work work(std::int64_t past) const;
  /// The same, one per step.
  [[nodiscard]] std::vector<core::Work> step_work(std::int64_t past) const;

  /// One line a step: index, operator, kernel, operands with type, shape and place. No pointers, no paths, no
  /// workspaces, so equal plans print equally on every machine and at every number of threads.
  [[nodiscard]] std::string text() const;
  /// 16 hexadecimal digits over text().
  [[nodiscard]] std::string hash() const;

 private:
  std::shared_ptr<const Program> program_;
  PlanRequest request_;
  std::vector<PlanStep> steps_;
  Operand ids_;
  std::optional<Operand> positions_;
  std::vector<ScalarOperand> scalars_;
  Operand logits_;
  std::size_t arena_bytes_ = 0;

  friend class PlanBuilder;
};

}  // namespace gonogo::engine
