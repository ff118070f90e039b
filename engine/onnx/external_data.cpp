#include "engine/onnx/external_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "harness/core/error.hpp"

namespace gonogo::onnx {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const fs::path& file, const std::string& tensor, const std::string& what,
                       const std::string& remedy) {
  throw core::InputError({file.string(), "tensor " + tensor, what, remedy});
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 10);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  const auto [at, rest] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return at == folder.end();
}

fs::path folder_of(const fs::path& model) { return model.has_parent_path() ? model.parent_path() : fs::path("."); }

}  // namespace

bool is_lfs_pointer(std::span<const std::byte> bytes) {
  constexpr std::string_view kStart = "version https://git-lfs.github.com/spec/";
  return bytes.size() >= kStart.size() && std::memcmp(bytes.data(), kStart.data(), kStart.size()) == 0;
}

ExternalReference read_reference(const fs::path& model, const std::string& tensor,
                                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  ExternalReference reference;
  reference.tensor = tensor;
  for (const auto& [key, value] : pairs) {
    if (key == "location") {
      reference.location = value;
    } else if (key == "offset" || key == "length") {
      const auto number = decimal(value);
      if (!number)
        fail(model, tensor, fmt::format("external data {}: wanted a decimal byte count, got \"{}\"", key, value), "");
      if (key == "offset")
        reference.offset = *number;
      else
        reference.length = number;
    } else if (key != "checksum") {
      fail(model, tensor, fmt::format("external data key \"{}\" is not known", key),
           "known: location, offset, length, checksum");
    }
  }
  if (reference.location.empty()) fail(model, tensor, "external data without a location", "write the model again");
  return reference;
}

fs::path resolve_location(const fs::path& model, const std::string& tensor, const std::string& location) {
  const fs::path given(location);
  if (given.is_absolute() || location.find('\0') != std::string::npos)
    fail(model, tensor, fmt::format("external data location \"{}\" is absolute", location),
         "it must lie in the model's folder");
  std::error_code error;
  const fs::path folder = fs::canonical(folder_of(model), error);
  if (error) fail(model, tensor, "the model's folder cannot be resolved: " + error.message(), "");
  const std::string remedy = "external data must stay in " + folder.string();
  const fs::path named = (folder / given).lexically_normal();
  if (!lies_in(named, folder))
    fail(model, tensor, fmt::format("external data location \"{}\" leaves the model's folder", location), remedy);

  const fs::path real = fs::canonical(folder / given, error);
  if (error)
    fail(model, tensor, fmt::format("external data file \"{}\": {}", named.string(), error.message()),
         "the download may be incomplete; the file belongs beside the .onnx file");
  if (lies_in(real, folder)) return real;
  const bool model_is_link = fs::is_symlink(fs::symlink_status(model, error));
  if (model_is_link && fs::canonical(model, error).parent_path() == real.parent_path()) return real;
  fail(
      model, tensor,
      fmt::format("external data location \"{}\" is a link to {}, outside the model's folder", location, real.string()),
      remedy);
}

std::span<const std::byte> ExternalData::bytes(const ExternalReference& reference, std::size_t wanted) {
  auto [entry, is_new] = resolved_.try_emplace(reference.location);
  if (is_new) entry->second = resolve_location(model_, reference.tensor, reference.location);
  const MappedFile& mapped = storage_.data_file(entry->second);
  const std::uint64_t size = mapped.bytes().size();
  const auto refuse = [&](const std::string& what) {
    std::string remedy = "the file is cut short or belongs to another model";
    if (is_lfs_pointer(mapped.bytes()))
      remedy = "it is a Git LFS pointer, not data: " + std::string(kLfsRemedy);
    else if (size == 0)
      remedy = "the file is empty: the download or the conversion did not finish";
    throw core::InputError({model_.string(), "tensor " + reference.tensor,
                            fmt::format("external data \"{}\" of {} bytes: {}", reference.location, size, what),
                            remedy});
  };
  if (reference.length && *reference.length != wanted)
    throw core::InputError(
        {model_.string(), "tensor " + reference.tensor,
         fmt::format("external data length: wanted {} bytes for its type and shape, got {}", wanted, *reference.length),
         "the file was written for another shape or type"});
  if (reference.offset > size || wanted > size - reference.offset)
    refuse(fmt::format("wanted {} bytes at offset {}", wanted, reference.offset));
  if (wanted == 0) return {};
  ranges_[entry->second].push_back({reference.offset, reference.offset + wanted, reference.tensor});
  return mapped.bytes().subspan(reference.offset, wanted);
}

void ExternalData::check_overlaps() const {
  for (const auto& [file, unsorted] : ranges_) {
    std::vector<Range> ranges = unsorted;
    std::sort(ranges.begin(), ranges.end(),
              [](const Range& a, const Range& b) { return std::tie(a.begin, a.end) < std::tie(b.begin, b.end); });
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      const Range& a = ranges[i - 1];
      const Range& b = ranges[i];
      const bool same = a.begin == b.begin && a.end == b.end;
      if (same || b.begin >= a.end) continue;
      throw core::InputError({model_.string(), "tensor " + b.tensor,
                              fmt::format("external data [{}, {}) overlaps [{}, {}) of tensor {} in \"{}\"", b.begin,
                                          b.end, a.begin, a.end, a.tensor, file.filename().string()),
                              "only the very same range may be shared; write the model again"});
    }
  }
}

}  // namespace gonogo::onnx
