// Factories of the pointwise families; pointwise.cpp lists them.
#pragma once

#include "engine/ops/op.hpp"

namespace gonogo::ops::pointwise {

using Inputs = std::span<const ValueFacts>;

[[nodiscard]] std::unique_ptr<Op> make_add(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                           const KernelChoice&);
[[nodiscard]] std::unique_ptr<Op> make_sub(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                           const KernelChoice&);
[[nodiscard]] std::unique_ptr<Op> make_mul(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                           const KernelChoice&);
[[nodiscard]] std::unique_ptr<Op> make_div(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                           const KernelChoice&);

[[nodiscard]] std::unique_ptr<Op> make_relu(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                            const KernelChoice&);
[[nodiscard]] std::unique_ptr<Op> make_sigmoid(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                               const KernelChoice&);
[[nodiscard]] std::unique_ptr<Op> make_tanh(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                            const KernelChoice&);
[[nodiscard]] std::unique_ptr<Op> make_gelu(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                            const KernelChoice&);  // ai.onnx 20
[[nodiscard]] std::unique_ptr<Op> make_gelu_erf(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                                const KernelChoice&);  // com.microsoft
[[nodiscard]] std::unique_ptr<Op> make_fast_gelu(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                                 const KernelChoice&);
[[nodiscard]] std::unique_ptr<Op> make_quick_gelu(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                                  const KernelChoice&);
[[nodiscard]] std::unique_ptr<Op> make_swish(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                             const KernelChoice&);

[[nodiscard]] std::unique_ptr<Op> make_swiglu(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                              const KernelChoice&);
[[nodiscard]] std::unique_ptr<Op> make_cast(const onnx::Node&, std::int64_t, const NodePlace&, Inputs,
                                            const KernelChoice&);

}  // namespace gonogo::ops::pointwise
