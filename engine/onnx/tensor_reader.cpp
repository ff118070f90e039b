#include "engine/onnx/tensor_reader.hpp"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstring>

#include "harness/core/error.hpp"

namespace gonogo::onnx {
namespace {

std::size_t alignment_of(core::DType type) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(core::bits_of(type)) / 8);
}

std::string_view field_of(core::DType type) {
  if (type == core::DType::f32) return "float_data";
  return type == core::DType::i64 ? "int64_data" : "int32_data";
}

}  // namespace

void TensorReader::fail(const std::string& name, const std::string& what, const std::string& remedy) const {
  throw core::InputError({model_.string(), "tensor " + name, what, remedy});
}

core::Tensor TensorReader::read(const ::onnx::TensorProto& proto, const std::string& name) {
  core::Tensor tensor;
  const auto type = core::dtype_from_onnx(proto.data_type());
  if (!type)
    fail(name, fmt::format("element type {} is not supported", proto.data_type()),
         "float32, float16, bfloat16, int4 to int64, bool");
  tensor.dtype = *type;
  std::int64_t count = 1;
  for (const std::int64_t extent : proto.dims()) {
    tensor.shape.push_back(extent);
    if (extent < 0)
      fail(name, "negative extent in shape " + core::to_string({proto.dims().begin(), proto.dims().end()}));
    if (__builtin_mul_overflow(count, extent, &count) || count > (std::int64_t{1} << 56))
      fail(name, "shape " + core::to_string({proto.dims().begin(), proto.dims().end()}) +
                     " has more elements than memory can hold");
  }
  const std::size_t wanted = tensor.bytes();

  if (proto.has_segment()) fail(name, "segmented tensors are not supported");
  if (proto.data_location() == ::onnx::TensorProto::EXTERNAL) {
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const auto& pair : proto.external_data()) pairs.emplace_back(pair.key(), pair.value());
    return with_bytes(std::move(tensor), external_.bytes(read_reference(model_, name, pairs), wanted));
  }
  if (!proto.has_raw_data()) return from_fields(std::move(tensor), proto, name);
  const std::string& raw = proto.raw_data();
  if (raw.size() != wanted)
    fail(name,
         fmt::format("{} of shape {} wants {} bytes, raw_data has {}", core::name_of(tensor.dtype),
                     core::to_string(tensor.shape), wanted, raw.size()),
         "the file is damaged or was written wrongly");
  return with_bytes(std::move(tensor), {reinterpret_cast<const std::byte*>(raw.data()), raw.size()});
}

core::Tensor TensorReader::with_bytes(core::Tensor tensor, std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    tensor.data = storage_.allocate(1);  // a present tensor has an address even when it has no elements
    return tensor;
  }
  const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
  if (address % alignment_of(tensor.dtype) == 0) {
    tensor.data = const_cast<std::byte*>(bytes.data());
    return tensor;
  }
  // A legal but unaligned offset: loads of this type need an aligned copy.
  tensor.data = storage_.allocate(bytes.size());
  std::memcpy(tensor.data, bytes.data(), bytes.size());
  return tensor;
}

core::Tensor TensorReader::from_fields(core::Tensor tensor, const ::onnx::TensorProto& proto, const std::string& name) {
  const core::DType type = tensor.dtype;
  const int bits = core::bits_of(type);
  // Packed nibbles sit two to an int32 entry, the low one first, as in raw_data.
  const std::int64_t wanted = bits == 4 ? (tensor.count() + 1) / 2 : tensor.count();
  const std::int64_t got = type == core::DType::f32   ? proto.float_data_size()
                           : type == core::DType::i64 ? proto.int64_data_size()
                                                      : proto.int32_data_size();
  if (got != wanted)
    fail(name,
         fmt::format("{} of shape {} wants {} values in {}, got {}", core::name_of(type), core::to_string(tensor.shape),
                     wanted, field_of(type), got),
         "the file is damaged or was written wrongly");
  if (type == core::DType::f32)
    return with_bytes(std::move(tensor),
                      std::as_bytes(std::span(proto.float_data().data(), static_cast<std::size_t>(got))));
  if (type == core::DType::i64)
    return with_bytes(std::move(tensor),
                      std::as_bytes(std::span(proto.int64_data().data(), static_cast<std::size_t>(got))));
  if (type == core::DType::i32)
    return with_bytes(std::move(tensor),
                      std::as_bytes(std::span(proto.int32_data().data(), static_cast<std::size_t>(got))));

  tensor.data = storage_.allocate(std::max<std::size_t>(1, tensor.bytes()));
  const bool is_wide = bits == 16;
  const std::int64_t low = type == core::DType::i8 ? -128 : 0;
  const std::int64_t high = is_wide ? 65535 : type == core::DType::boolean ? 1 : type == core::DType::i8 ? 127 : 255;
  for (std::int64_t i = 0; i < got; ++i) {
    const std::int32_t value = proto.int32_data(static_cast<int>(i));
    if (value < low || value > high)
      fail(name, fmt::format("int32_data[{}] = {} does not fit {}", i, value, core::name_of(type)));
    if (is_wide)
      tensor.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(value);
    else
      tensor.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(value);
  }
  return tensor;
}

}  // namespace gonogo::onnx
