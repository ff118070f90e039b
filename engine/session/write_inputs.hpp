// A step's inputs written into host tensors: ids, positions, and the lengths that stand for the folded mask.
#pragma once

#include <fmt/format.h>

#include "engine/plan/plan.hpp"
#include "engine/session/executor.hpp"
#include "harness/core/error.hpp"
#include "harness/core/narrow.hpp"

namespace gonogo::engine {

inline void write_integer(const core::Tensor& tensor, std::int64_t index, std::int64_t value) {
  if (tensor.dtype == core::DType::i64)
    tensor.as<std::int64_t>()[index] = value;
  else
    tensor.as<std::int32_t>()[index] = core::narrow<std::int32_t>(value);
}

/// `bind` turns an input operand of the plan into the host tensor to write.
template <class Bind>
void write_inputs(const Plan& plan, const StepInputs& inputs, Bind&& bind) {
  const auto count = static_cast<std::int64_t>(inputs.ids.size());
  GONOGO_EXPECT(count == plan.request().size.width,
                fmt::format("{} ids for width {}", count, plan.request().size.width));
  const core::Tensor ids = bind(plan.ids());
  for (std::int64_t i = 0; i < count; ++i) write_integer(ids, i, inputs.ids[static_cast<std::size_t>(i)]);
  if (plan.positions()) {
    const core::Tensor positions = bind(*plan.positions());
    for (std::int64_t i = 0; i < count; ++i) write_integer(positions, i, inputs.past + i);
  }
  const std::int64_t total = inputs.past + count;
  for (const ScalarOperand& scalar : plan.scalars())
    write_integer(bind(scalar.operand), 0, scalar.scalar == graph::StepScalar::total_length ? total : total - 1);
}

}  // namespace gonogo::engine
