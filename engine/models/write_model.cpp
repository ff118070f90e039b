#include "engine/models/write_model.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "engine/models/genai_config.hpp"
#include "engine/models/graph_writer.hpp"
#include "harness/core/error.hpp"

namespace gonogo::models {
namespace fs = std::filesystem;
namespace {

constexpr const char* kConfigFile = "genai_config.json";

fs::path parent_of(const fs::path& folder) {
  const fs::path parent = folder.parent_path();
  return parent.empty() ? fs::path(".") : parent;
}

std::string leftover_prefix(const fs::path& folder) { return fmt::format(".{}.partial-", folder.filename().string()); }

[[noreturn]] void fail(const fs::path& path, const std::string& what, const std::string& why) {
  throw core::EnvironmentError(fmt::format("{}: {}: {}", path.string(), what, why));
}

/// A folder that is removed unless published. It is locked while it lives: the lock goes with the process, so a folder
/// that can be locked by another is a leftover.
class PartialFolder {
 public:
  explicit PartialFolder(const fs::path& final_folder) {
    std::string name = (parent_of(final_folder) / (leftover_prefix(final_folder) + "XXXXXX")).string();
    if (::mkdtemp(name.data()) == nullptr) fail(name, "cannot be made", std::strerror(errno));
    path_ = name;
    fs::permissions(path_, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                               fs::perms::others_read | fs::perms::others_exec);
    lock_ = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock_ < 0 || ::flock(lock_, LOCK_EX | LOCK_NB) != 0) fail(path_, "cannot be locked", std::strerror(errno));
  }
  ~PartialFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
    if (lock_ >= 0) ::close(lock_);
  }
  PartialFolder(const PartialFolder&) = delete;
  PartialFolder& operator=(const PartialFolder&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }
  /// Renames to `folder`, which may be there if it is empty.
  void publish(const fs::path& folder) {
    if (::rename(path_.c_str(), folder.c_str()) != 0) fail(folder, "cannot be put in place", std::strerror(errno));
    path_.clear();
  }

 private:
  fs::path path_;
  int lock_ = -1;
};

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) fail(file, "cannot be written", std::strerror(errno));
}

std::optional<std::string> read_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void check_room(const fs::path& parent, std::int64_t wanted) {
  std::error_code error;
  const fs::space_info space = fs::space(parent, error);
  if (!error && space.available < static_cast<std::uintmax_t>(wanted))
    throw core::EnvironmentError(
        fmt::format("{}: the model needs {} bytes, the disk has {} free", parent.string(), wanted, space.available));
}

std::int64_t folder_bytes(const ModelSpec& spec, const TensorLayout& layout, const std::string& graph) {
  return layout.data_bytes + static_cast<std::int64_t>(graph.size() + genai_config(spec).size());
}

}  // namespace

std::int64_t folder_bytes(const ModelSpec& spec) {
  const TensorLayout layout = lay_out(spec);
  return folder_bytes(spec, layout, serialize_graph(spec, layout));
}

void write_model(const ModelSpec& spec, const fs::path& given, const WriteOptions& options) {
  if (const auto answer = check_spec(spec); !answer) throw core::UsageError(core::to_string(answer.reason()));
  // "models/tiny/" names the same folder as "models/tiny".
  const fs::path folder = given.has_filename() ? given : given.parent_path();
  if (fs::exists(folder) && !(fs::is_directory(folder) && fs::is_empty(folder)))
    throw core::UsageError(fmt::format("{}: is there already and not an empty folder", folder.string()));
  std::error_code error;
  fs::create_directories(parent_of(folder), error);
  if (error) fail(parent_of(folder), "cannot be made", error.message());

  const TensorLayout layout = lay_out(spec);
  const std::string graph = serialize_graph(spec, layout);
  check_room(parent_of(folder), folder_bytes(spec, layout, graph));
  PartialFolder partial(folder);
  write_data(spec, layout, partial.path() / kDataFile, options);
  write_text(partial.path() / kModelFile, graph);
  write_text(partial.path() / kConfigFile, genai_config(spec));
  partial.publish(folder);
}

std::optional<std::string> find_damage(const ModelSpec& spec, const fs::path& folder, std::uint64_t seed) {
  const TensorLayout layout = lay_out(spec);
  const std::pair<const char*, std::string> texts[] = {{kModelFile, serialize_graph(spec, layout)},
                                                       {kConfigFile, genai_config(spec)}};
  for (const auto& [name, wanted] : texts) {
    const auto got = read_text(folder / name);
    if (!got) return fmt::format("{} cannot be read", name);
    if (*got != wanted) return fmt::format("{} is not what this program writes", name);
  }
  return find_damage(spec, layout, folder / kDataFile, seed);
}

void remove_leftovers(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(parent_of(folder), error))
    if (entry.path().filename().string().starts_with(leftover_prefix(folder))) found.push_back(entry.path());
  for (const fs::path& path : found) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) continue;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) fs::remove_all(path, error);
    ::close(fd);
  }
}

}  // namespace gonogo::models
