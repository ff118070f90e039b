// A TensorProto as a tensor: raw, typed or external data, sizes checked against dims before anything is allocated.
#pragma once

#include <filesystem>
#include <string>

#include "engine/onnx/external_data.hpp"
#include "engine/onnx/storage.hpp"
#include "harness/core/tensor.hpp"

namespace onnx {
class TensorProto;
}

namespace gonogo::onnx {

class TensorReader {
 public:
  TensorReader(const std::filesystem::path& model, Storage& storage)
      : model_(model), storage_(storage), external_(model, storage) {}

  /// The tensor points into the protobuf (which the caller keeps), into mapped data, or into decoded bytes in the
  /// storage. `name` is for messages. Throws core::InputError on an unknown type, a bad extent, or data of the wrong
  /// size.
  [[nodiscard]] core::Tensor read(const ::onnx::TensorProto& proto, const std::string& name);

  /// To be called after the last tensor: see ExternalData::check_overlaps.
  void finish() const { external_.check_overlaps(); }

 private:
  core::Tensor with_bytes(core::Tensor tensor, std::span<const std::byte> bytes);
  core::Tensor from_fields(core::Tensor tensor, const ::onnx::TensorProto& proto, const std::string& name);
  [[noreturn]] void fail(const std::string& name, const std::string& what, const std::string& remedy = "") const;

  const std::filesystem::path& model_;
  Storage& storage_;
  ExternalData external_;
};

}  // namespace gonogo::onnx
