#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::record {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& reason) {
  throw core::UsageError(fmt::format("cannot write {}: {}", path.string(), reason));
}
[[noreturn]] void refuse(const fs::path& path, int code) {
  std::string reason = std::generic_category().message(code);
  if (code == ENOENT) reason += " (the folder must exist)";
  refuse(path, reason);
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int get() const { return descriptor_; }
  /// 0, or the error: a full disk may speak up only here.
  int close() {
    const int result = ::close(std::exchange(descriptor_, -1));
    return result == 0 ? 0 : errno;
  }

 private:
  int descriptor_;
};

// 0, or the error number.
int write_all(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    done += static_cast<std::size_t>(count);
  }
  return 0;
}

// Where the bytes go: through links, so that a link stays a link.
fs::path target_of(const fs::path& path) {
  if (path.empty()) throw core::UsageError("cannot write: the file name is empty");
  std::error_code ignored;
  return fs::is_symlink(path, ignored) ? fs::weakly_canonical(path, ignored) : path;
}

// Renaming over a device or a pipe would destroy it.
bool is_special(const fs::path& path) {
  std::error_code ignored;
  const auto status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

fs::path temporary_beside(const fs::path& target) {
  return target.parent_path() / fmt::format(".{}.{}.tmp", target.filename().string(), ::getpid());
}

void write_in_place(const fs::path& path, const std::string& text) {
  File file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.is_open()) refuse(path, errno);
  if (const int code = write_all(file.get(), text)) refuse(path, code);
  if (const int code = file.close()) refuse(path, code);
}

void check_target(const fs::path& path, const fs::path& target) {
  std::error_code ignored;  // what cannot be looked at is refused when the temporary file is made
  if (target.filename().empty() || fs::is_directory(target, ignored)) refuse(path, EISDIR);
  if (fs::exists(target, ignored) && ::access(target.c_str(), W_OK) != 0) refuse(path, errno);
}

void write_stdout(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) refuse("stdout", errno);
}

}  // namespace

void write_file(const fs::path& path, const std::string& text) {
  if (path == "-") return write_stdout(text);
  const fs::path target = target_of(path);
  if (is_special(target)) return write_in_place(target, text);
  check_target(path, target);
  const fs::path temporary = temporary_beside(target);
  File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file.is_open()) refuse(path, errno);
  int code = write_all(file.get(), text);
  if (code == 0 && ::fsync(file.get()) != 0) code = errno;
  if (const int close_code = file.close(); code == 0) code = close_code;
  if (code == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) code = errno;
  if (code != 0) {
    ::unlink(temporary.c_str());
    refuse(path, code);
  }
}

void check_writable(const std::string& path) {
  if (path == "-") return;
  const fs::path target = target_of(path);
  if (is_special(target)) {
    if (::access(target.c_str(), W_OK) != 0) refuse(path, errno);
    return;
  }
  check_target(path, target);
  // The question asked of the file system itself: permissions, read-only mounts and quotas all answer.
  const fs::path temporary = temporary_beside(target);
  File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file.is_open()) refuse(path, errno);
  ::unlink(temporary.c_str());
}

}  // namespace gonogo::record
