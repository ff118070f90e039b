#include "engine/ops/float_io.hpp"

#include "harness/core/half.hpp"

namespace gonogo::ops {

const float* read_f32(const core::Tensor& tensor, core::Scratch& scratch) {
  if (tensor.dtype == core::DType::f32 || tensor.data == nullptr) return tensor.as<float>();
  GONOGO_EXPECT(tensor.dtype == core::DType::f16, std::string(core::name_of(tensor.dtype)));
  float* values = scratch.take<float>(tensor.count());
  core::f16_to_f32(tensor.as<std::uint16_t>(), values, static_cast<std::size_t>(tensor.count()));
  return values;
}

WriteF32::WriteF32(const core::Tensor& tensor, core::Scratch& scratch) : tensor_(tensor) {
  if (tensor.dtype == core::DType::f32) {
    data_ = tensor.as<float>();
    return;
  }
  GONOGO_EXPECT(tensor.dtype == core::DType::f16, std::string(core::name_of(tensor.dtype)));
  data_ = scratch.take<float>(tensor.count());
}

void WriteF32::store() const {
  if (tensor_.dtype == core::DType::f16 && data_ != nullptr)
    core::f32_to_f16(data_, tensor_.as<std::uint16_t>(), static_cast<std::size_t>(tensor_.count()));
}

std::size_t f32_scratch_bytes(std::span<const ValueFacts> values) {
  core::Scratch counter;
  for (const ValueFacts& value : values)
    if (value.present && value.dtype == core::DType::f16) (void)counter.take<float>(core::count_of(value.shape));
  return counter.used();
}

}  // namespace gonogo::ops
