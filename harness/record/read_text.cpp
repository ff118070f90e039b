#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "harness/core/error.hpp"
#include "harness/record/strict_json.hpp"

namespace gonogo::record {
namespace {
constexpr std::size_t kLargestText = std::size_t{1} << 30;
}

std::string read_text(const std::filesystem::path& path) {
  const auto fail = [&](int code) -> std::string {
    throw core::InputError({path.string(), "", "cannot be read: " + std::generic_category().message(code), ""});
  };
  if (path.empty()) throw core::InputError({"", "", "the file name is empty", ""});
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return fail(errno);
  std::string text;
  char block[1 << 16];
  while (const std::size_t count = std::fread(block, 1, sizeof block, file.get())) {
    text.append(block, count);
    if (text.size() > kLargestText)
      throw core::InputError(
          {path.string(), "", fmt::format("is larger than {} bytes", kLargestText), "is it a text file?"});
  }
  if (std::ferror(file.get()) != 0) return fail(errno);  // a directory opens, then fails here
  return text;
}

}  // namespace gonogo::record
