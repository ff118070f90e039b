#include "engine/models/data_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/models/weights.hpp"
#include "harness/core/error.hpp"

namespace gonogo::models {
namespace {

constexpr std::int64_t kChunk = std::int64_t{4} << 20;  // bytes a thread makes and writes at a time
constexpr std::int64_t kSample = 4096;

class File {
 public:
  File(const std::filesystem::path& path, int flags) : path_(path), fd_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (fd_ < 0) fail("cannot be opened");
  }
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void resize(std::int64_t bytes) {
    if (::ftruncate(fd_, bytes) != 0) fail(fmt::format("cannot take {} bytes", bytes));
  }
  void write(std::int64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::pwrite(fd_, bytes.data(), bytes.size(), offset);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) fail(fmt::format("cannot take {} bytes at {}", bytes.size(), offset));
      bytes = bytes.subspan(static_cast<std::size_t>(done));
      offset += done;
    }
  }
  /// Whether all of `bytes` could be read.
  bool read(std::int64_t offset, std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const ssize_t done = ::pread(fd_, bytes.data(), bytes.size(), offset);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(done));
      offset += done;
    }
    return true;
  }
  /// Errors that a file system reports only now (a full network disk).
  void close() {
    const int fd = std::exchange(fd_, -1);
    if (::close(fd) != 0) fail("cannot be completed");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw core::EnvironmentError(fmt::format("{}: {}: {}", path_.string(), what, std::strerror(errno)));
  }
  std::filesystem::path path_;
  int fd_;
};

int usable_threads() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

/// A part of one tensor.
struct Piece {
  std::size_t tensor = 0;
  std::int64_t begin = 0, size = 0;
};

std::vector<Piece> cut(const TensorLayout& layout) {
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < layout.tensors.size(); ++i)
    for (std::int64_t begin = 0; begin < layout.tensors[i].bytes; begin += kChunk)
      pieces.push_back({i, begin, std::min(kChunk, layout.tensors[i].bytes - begin)});
  return pieces;
}

/// Hands out pieces, gathers progress and the first error.
class Work {
 public:
  Work(std::vector<Piece> pieces, std::int64_t total, const Progress& progress)
      : pieces_(std::move(pieces)), total_(total), progress_(progress) {}

  const Piece* next() {
    const std::size_t index = next_.fetch_add(1);
    return index < pieces_.size() && !failed_ ? &pieces_[index] : nullptr;
  }
  void finished(const Piece& piece) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    done_ += piece.size;
    progress_(done_, total_);
  }
  void failed(std::exception_ptr error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_ = true;
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::vector<Piece> pieces_;
  std::int64_t total_;
  const Progress& progress_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::int64_t done_ = 0;
  std::exception_ptr error_;
};

void write_pieces(Work& work, const TensorLayout& layout, const std::vector<TensorBytes>& sources, File& file) {
  try {
    std::vector<std::byte> buffer(static_cast<std::size_t>(kChunk));
    while (const Piece* piece = work.next()) {
      const std::span bytes(buffer.data(), static_cast<std::size_t>(piece->size));
      sources[piece->tensor].fill(piece->begin, bytes);
      file.write(layout.tensors[piece->tensor].offset + piece->begin, bytes);
      work.finished(*piece);
    }
  } catch (...) {
    work.failed(std::current_exception());
  }
}

std::vector<TensorBytes> sources_of(const ModelSpec& spec, const TensorLayout& layout, std::uint64_t seed) {
  std::vector<TensorBytes> sources;
  for (const TensorSpec& tensor : layout.tensors) sources.emplace_back(spec, tensor, seed);
  return sources;
}

}  // namespace

void write_data(const ModelSpec& spec, const TensorLayout& layout, const std::filesystem::path& path,
                const WriteOptions& options) {
  const auto sources = sources_of(spec, layout, options.seed);
  File file(path, O_WRONLY | O_CREAT | O_EXCL);
  file.resize(layout.data_bytes);
  std::int64_t total = 0;
  for (const TensorSpec& tensor : layout.tensors) total += tensor.bytes;
  Work work(cut(layout), total, options.progress);
  {
    std::vector<std::jthread> others;
    const int threads = options.threads > 0 ? options.threads : usable_threads();
    for (int i = 1; i < threads; ++i) others.emplace_back([&] { write_pieces(work, layout, sources, file); });
    write_pieces(work, layout, sources, file);
  }
  work.rethrow();
  file.close();
}

std::optional<std::string> find_damage(const ModelSpec& spec, const TensorLayout& layout,
                                       const std::filesystem::path& path, std::uint64_t seed) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error) return fmt::format("{}: {}", path.filename().string(), error.message());
  if (size != static_cast<std::uintmax_t>(layout.data_bytes))
    return fmt::format("{} has {} bytes, not {}", path.filename().string(), size, layout.data_bytes);
  File file(path, O_RDONLY);
  std::vector<std::byte> wanted, got;
  for (const TensorSpec& tensor : layout.tensors) {
    const TensorBytes source(spec, tensor, seed);
    const std::int64_t last = std::max<std::int64_t>(0, tensor.bytes - kSample) / 8 * 8;
    for (const std::int64_t begin : {std::int64_t{0}, last}) {
      const auto bytes = static_cast<std::size_t>(begin == 0 ? std::min(kSample, tensor.bytes) : tensor.bytes - begin);
      wanted.resize(bytes);
      got.resize(bytes);
      source.fill(begin, wanted);
      if (!file.read(tensor.offset + begin, got) || wanted != got)
        return fmt::format("{}: tensor {} differs near byte {}", path.filename().string(), tensor.name,
                           tensor.offset + begin);
    }
  }
  return std::nullopt;
}

}  // namespace gonogo::models
