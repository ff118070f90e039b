#include "harness/core/dtype.hpp"

namespace gonogo::core {

std::optional<DType> dtype_from_onnx(std::int32_t data_type) {
  switch (static_cast<DType>(data_type)) {
    case DType::f32:
    case DType::u8:
    case DType::i8:
    case DType::i32:
    case DType::i64:
    case DType::boolean:
    case DType::f16:
    case DType::bf16:
    case DType::u4:
    case DType::i4:
      return static_cast<DType>(data_type);
  }
  return std::nullopt;
}

std::string_view name_of(DType type) {
  switch (type) {
    case DType::f32:
      return "float32";
    case DType::u8:
      return "uint8";
    case DType::i8:
      return "int8";
    case DType::i32:
      return "int32";
    case DType::i64:
      return "int64";
    case DType::boolean:
      return "bool";
    case DType::f16:
      return "float16";
    case DType::bf16:
      return "bfloat16";
    case DType::u4:
      return "uint4";
    case DType::i4:
      return "int4";
  }
  return "unknown";
}

int bits_of(DType type) {
  switch (type) {
    case DType::u4:
    case DType::i4:
      return 4;
    case DType::u8:
    case DType::i8:
    case DType::boolean:
      return 8;
    case DType::f16:
    case DType::bf16:
      return 16;
    case DType::f32:
    case DType::i32:
      return 32;
    case DType::i64:
      return 64;
  }
  return 0;
}

std::size_t bytes_of(DType type, std::int64_t count) {
  return (static_cast<std::size_t>(count) * static_cast<std::size_t>(bits_of(type)) + 7) / 8;
}

}  // namespace gonogo::core
