// What keeps a model's tensors alive: mapped files, decoded bytes and the parsed protobuf.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "harness/core/allocation.hpp"

namespace gonogo::onnx {

/// A file mapped read-only, whole. Move-only; unmaps itself. The name that was opened is kept for messages.
class MappedFile {
 public:
  /// Throws core::InputError when the file is missing, is no regular file, or cannot be read.
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  MappedFile(const MappedFile&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }
  [[nodiscard]] const std::filesystem::path& file() const { return file_; }
  /// Gives the resident pages back; they are read again when touched.
  void release_pages() const noexcept;

 private:
  std::filesystem::path file_;
  std::span<const std::byte> bytes_;
};

class Storage {
 public:
  explicit Storage(MappedFile model) : model_(std::move(model)) {}

  /// The data file under its resolved path, mapped on first use.
  const MappedFile& data_file(const std::filesystem::path& real);
  /// Aligned bytes that live as long as the model.
  std::byte* allocate(std::size_t bytes);
  /// Keeps an object alive whose memory tensors point into (the parsed protobuf with its raw_data).
  void keep(std::shared_ptr<const void> object) { kept_.push_back(std::move(object)); }

  [[nodiscard]] const MappedFile& model_file() const { return model_; }
  [[nodiscard]] const std::map<std::filesystem::path, MappedFile>& data_files() const { return data_; }

 private:
  MappedFile model_;
  std::map<std::filesystem::path, MappedFile> data_;
  std::vector<core::HostBuffer> decoded_;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace gonogo::onnx
