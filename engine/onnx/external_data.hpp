// Finds the bytes of a tensor that is stored outside the .onnx file, after checking everything that can be wrong with
// them. Source: onnx.proto TensorProto.external_data; ONNX docs/ExternalData.md; what they leave open:
// docs/onnx-operators.md, "Tensor storage".
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/onnx/storage.hpp"

namespace gonogo::onnx {

/// external_data as written: decimal byte counts, the location relative to the model's folder.
struct ExternalReference {
  std::string tensor;  // for messages
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
};

/// Reads the key/value pairs. Throws core::InputError on a missing location, a number that is no decimal uint64, or a
/// key whose meaning is not known. `checksum` is accepted and not verified: it covers the whole file and is rarely
/// written.
[[nodiscard]] ExternalReference read_reference(const std::filesystem::path& model, const std::string& tensor,
                                               const std::vector<std::pair<std::string, std::string>>& pairs);

/// Where `location` leads, links followed. It must stay inside the model's folder, by two rules:
///  1. the file that it names, links followed, lies in the folder of the .onnx file as given; or
///  2. both are links of a download cache: the .onnx file itself is a link, and the data's link ends in the same folder
///     as the .onnx file's link (snapshots/REV/model.onnx -> ../../blobs/A, model.onnx.data -> ../../blobs/B).
/// Throws core::InputError for an absolute location, one that leaves the folder, or a missing file.
[[nodiscard]] std::filesystem::path resolve_location(const std::filesystem::path& model, const std::string& tensor,
                                                     const std::string& location);

/// Maps external data and remembers every range handed out.
class ExternalData {
 public:
  ExternalData(const std::filesystem::path& model, Storage& storage) : model_(model), storage_(storage) {}

  /// `wanted` bytes of the tensor. Throws core::InputError with the real size, the needed size and a Git LFS hint.
  [[nodiscard]] std::span<const std::byte> bytes(const ExternalReference& reference, std::size_t wanted);

  /// Throws core::InputError when two tensors overlap without being the very same range, which is shared on purpose.
  void check_overlaps() const;

 private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::string tensor;
  };
  const std::filesystem::path& model_;
  Storage& storage_;
  std::map<std::string, std::filesystem::path> resolved_;  // location -> real file: thousands of tensors, few files
  std::map<std::filesystem::path, std::vector<Range>> ranges_;
};

/// "is a Git LFS pointer, not data" when the bytes are one.
[[nodiscard]] bool is_lfs_pointer(std::span<const std::byte> bytes);
inline constexpr const char* kLfsRemedy = "fetch the real file with `git lfs pull`";

}  // namespace gonogo::onnx
