// Cast between float32, float16, int32 and int64.
#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "engine/ops/attributes.hpp"
#include "engine/ops/pointwise_parts.hpp"
#include "harness/core/half.hpp"

namespace gonogo::ops::pointwise {
namespace {

bool is_known(core::DType type) {
  return type == core::DType::f32 || type == core::DType::f16 || type == core::DType::i32 || type == core::DType::i64;
}

/// Runs `f` with a reader of element i as float (float types) or as std::int64_t (integer types).
template <class F>
void with_reader(const core::Tensor& x, F f) {
  switch (x.dtype) {
    case core::DType::f32:
      return f([data = x.as<float>()](std::int64_t i) { return data[i]; });
    case core::DType::f16:
      return f([data = x.as<std::uint16_t>()](std::int64_t i) { return core::f16_to_f32(data[i]); });
    case core::DType::i32:
      return f([data = x.as<std::int32_t>()](std::int64_t i) { return std::int64_t{data[i]}; });
    default:
      return f([data = x.as<std::int64_t>()](std::int64_t i) { return data[i]; });
  }
}

/// Integers wrap as C++ does; a float outside the integer type has no value that all runtimes agree on.
template <class To, class From>
To to_integer(From value, const NodePlace& place) {
  if constexpr (std::is_integral_v<From>) {
    return static_cast<To>(value);
  } else {
    constexpr From kEnd = -static_cast<From>(std::numeric_limits<To>::min());  // 2^31 or 2^63, exact
    if (!(value >= -kEnd && value < kEnd))
      reject(place, "float to cast to an integer, within", fmt::format("+-{}", kEnd), fmt::format("{}", value));
    return static_cast<To>(value);
  }
}

class Cast final : public Op {
 public:
  Cast(core::DType to, NodePlace place) : to_(to), place_(std::move(place)) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    if (!is_known(inputs[0].dtype))
      reject(place_, "type to cast from, one of", "float32, float16, int32, int64",
             std::string(core::name_of(inputs[0].dtype)));
    return {{to_, inputs[0].shape}};
  }

  void run(const RunContext& context) const override {
    const core::Tensor& x = context.inputs[0];
    const core::Tensor& y = context.outputs[0];
    const std::int64_t count = x.count();
    if (count == 0) return;
    const auto rows = static_cast<std::size_t>(count);
    if (x.dtype == to_) {
      if (x.data != y.data) std::memcpy(y.data, x.data, x.bytes());
    } else if (x.dtype == core::DType::f32 && to_ == core::DType::f16) {
      core::f32_to_f16(x.as<float>(), y.as<std::uint16_t>(), rows);
    } else if (x.dtype == core::DType::f16 && to_ == core::DType::f32) {
      core::f16_to_f32(x.as<std::uint16_t>(), y.as<float>(), rows);
    } else {
      with_reader(x, [&](auto read) {
        for (std::int64_t i = 0; i < count; ++i) {
          const auto value = read(i);
          if (to_ == core::DType::f32) y.as<float>()[i] = static_cast<float>(value);
          // An integer that float32 rounds is far beyond float16's range: one rounding decides.
          else if (to_ == core::DType::f16)
            y.as<std::uint16_t>()[i] = core::f32_to_f16(static_cast<float>(value));
          else if (to_ == core::DType::i32)
            y.as<std::int32_t>()[i] = to_integer<std::int32_t>(value, place_);
          else
            y.as<std::int64_t>()[i] = to_integer<std::int64_t>(value, place_);
        }
      });
    }
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    const std::int64_t count = core::count_of(inputs[0].shape);
    return {.activation_bytes =
                static_cast<std::int64_t>(core::bytes_of(inputs[0].dtype, count) + core::bytes_of(to_, count))};
  }
  std::string kernel(std::span<const ValueFacts>) const override { return "cast"; }

 private:
  core::DType to_;
  NodePlace place_;
};

}  // namespace

std::unique_ptr<Op> make_cast(const onnx::Node& node, std::int64_t, const NodePlace& place, Inputs,
                              const KernelChoice&) {
  Attributes attributes(node, place);
  const std::int64_t to = attributes.required_integer("to");
  (void)attributes.integer("saturate", 1);    // of float8 types
  (void)attributes.text("round_mode", "up");  // of float8 types
  attributes.finish();
  const auto type = core::dtype_from_onnx(static_cast<std::int32_t>(to));
  if (!type || !is_known(*type))
    reject(place, "type to cast to, one of", "float32, float16, int32, int64",
           type ? std::string(core::name_of(*type)) : fmt::format("{}", to));
  if (node.inputs.size() != 1) reject(place, "inputs", "1", fmt::format("{}", node.inputs.size()));
  return std::make_unique<Cast>(*type, place);
}

}  // namespace gonogo::ops::pointwise
