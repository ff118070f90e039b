#include "engine/onnx/storage.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "harness/core/error.hpp"

namespace gonogo::onnx {
namespace {

class Descriptor {
 public:
  // O_NONBLOCK: opening a pipe must not wait for a writer; the type is checked next.
  explicit Descriptor(const std::filesystem::path& file)
      : value_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what, const std::string& remedy) {
  throw core::InputError({file.string(), "", what, remedy});
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& file) : file_(file) {
  const Descriptor descriptor(file);
  if (descriptor.value() < 0) {
    const int error = errno;
    fail(file, std::string("cannot be opened: ") + std::strerror(error),
         error == ENOENT ? "check the path, and that the download is complete" : "");
  }
  struct stat status {};
  if (::fstat(descriptor.value(), &status) != 0) fail(file, std::string("cannot be read: ") + std::strerror(errno), "");
  if (S_ISDIR(status.st_mode)) fail(file, "is a directory, not a file", "name the file inside it");
  if (!S_ISREG(status.st_mode)) fail(file, "is no regular file", "copy it to a file first");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;  // an empty range cannot be mapped; its size tells enough
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.value(), 0);
  if (data == MAP_FAILED) fail(file, std::string("cannot be mapped: ") + std::strerror(errno), "");
  bytes_ = {static_cast<const std::byte*>(data), size};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : file_(std::move(other.file_)), bytes_(std::exchange(other.bytes_, {})) {}

void MappedFile::release_pages() const noexcept {
  if (!bytes_.empty()) ::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

const MappedFile& Storage::data_file(const std::filesystem::path& real) {
  const auto found = data_.find(real);
  if (found != data_.end()) return found->second;
  return data_.emplace(real, MappedFile(real)).first->second;
}

std::byte* Storage::allocate(std::size_t bytes) { return decoded_.emplace_back(bytes).data(); }

}  // namespace gonogo::onnx
