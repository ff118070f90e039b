#include "engine/plan/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engine/graph/node_runner.hpp"
#include "engine/onnx/weights_hash.hpp"
#include "engine/plan/builder.hpp"
#include "harness/core/error.hpp"
#include "harness/core/narrow.hpp"

namespace gonogo::engine {
namespace {

std::string describe(const Operand& operand) {
  if (operand.storage == Storage::absent) return "-";
  const std::string type = fmt::format("{}[{}]", core::name_of(operand.dtype), fmt::join(operand.shape, ","));
  switch (operand.storage) {
    case Storage::constant:
      return type + ":constant";
    case Storage::cache:
      return fmt::format("{}:cache{}", type, operand.at);
    default:
      return fmt::format("{}@{}", type, operand.at);
  }
}

std::string describe(const std::vector<Operand>& operands) {
  std::vector<std::string> texts;
  for (const Operand& operand : operands) texts.push_back(describe(operand));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Storage for a step scalar of either integer type.
struct ScalarValue {
  std::int64_t wide = 0;
  std::int32_t narrow = 0;
  ScalarValue(std::int64_t value) : wide(value), narrow(core::narrow<std::int32_t>(value)) {}  // NOLINT: a number
  [[nodiscard]] const std::byte* bytes(core::DType type) const {
    return type == core::DType::i64 ? reinterpret_cast<const std::byte*>(&wide)
                                    : reinterpret_cast<const std::byte*>(&narrow);
  }
};

}  // namespace

std::vector<ops::ValueFacts> PlanStep::input_facts() const {
  std::vector<ops::ValueFacts> facts;
  facts.reserve(inputs.size());
  for (const Operand& input : inputs) facts.push_back(input.facts());
  return facts;
}

Plan::Plan(std::shared_ptr<const Program> program, const PlanRequest& request)
    : program_(std::move(program)), request_(request) {
  GONOGO_EXPECT(request.size.width >= 1 && request.size.capacity >= request.size.width,
                fmt::format("width {}, capacity {}", request.size.width, request.size.capacity));
  PlanBuilder(*this).build();
}

std::size_t Plan::workspace_bytes() const {
  std::size_t most = 0;
  for (const PlanStep& step : steps_) most = std::max(most, step.workspace_bytes);
  return most;
}

std::vector<core::Work> Plan::step_work(std::int64_t past) const {
  const ScalarValue total = past + request_.size.width;
  const ScalarValue last = past + request_.size.width - 1;
  const auto& scalars = program_->bindings.scalars;
  std::vector<core::Work> works;
  for (const PlanStep& step : steps_) {
    std::vector<ops::ValueFacts> facts = step.input_facts();
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const auto scalar = std::find_if(scalars.begin(), scalars.end(),
                                       [&](const ScalarBinding& s) { return s.value == step.node->inputs[i]; });
      if (scalar == scalars.end()) continue;
      facts[i].constant = (scalar->scalar == graph::StepScalar::total_length ? total : last).bytes(facts[i].dtype);
    }
    works.push_back(step.op->work(facts));
  }
  return works;
}

core::Work Plan::work(std::int64_t past) const {
  core::Work sum;
  for (const core::Work& work : step_work(past)) sum += work;
  return sum;
}

std::string Plan::text() const {
  std::string text =
      fmt::format("width {} capacity {} rows {} steps {} arena {}\n", request_.size.width, request_.size.capacity,
                  request_.rows == capture::Rows::all ? "all" : "last", steps_.size(), arena_bytes_);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const PlanStep& step = steps_[i];
    text += fmt::format("{} {} {} {} ({}) -> ({}){}\n", i, step.node->op_type, step.kernel, step.node->name,
                        describe(step.inputs), describe(step.outputs), step.capture ? "" : " eager");
  }
  return text;
}

std::string Plan::hash() const {
  const std::string printed = text();
  return fmt::format("{:016x}", onnx::hash_bytes(std::as_bytes(std::span(printed)), 0));
}

}  // namespace gonogo::engine
