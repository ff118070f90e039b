// Element types of tensors, with ONNX's names and numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gonogo::core {

/// Values are those of onnx.TensorProto.DataType.
enum class DType : std::int32_t {
  f32 = 1,
  u8 = 2,
  i8 = 3,
  i32 = 6,
  i64 = 7,
  boolean = 9,
  f16 = 10,
  bf16 = 16,
  u4 = 21,
  i4 = 22,
};

/// The type with this ONNX number, or nothing when the project does not know it.
[[nodiscard]] std::optional<DType> dtype_from_onnx(std::int32_t data_type);
[[nodiscard]] std::string_view name_of(DType type);  // "float32", "float16", "uint4"...
[[nodiscard]] int bits_of(DType type);
/// Bytes of `count` elements stored flat; 4-bit elements are packed two to a byte over the whole tensor.
[[nodiscard]] std::size_t bytes_of(DType type, std::int64_t count);
[[nodiscard]] constexpr bool is_float(DType t) { return t == DType::f32 || t == DType::f16 || t == DType::bf16; }

}  // namespace gonogo::core
