#include "engine/onnx/weights_hash.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "engine/onnx/storage.hpp"

namespace gonogo::onnx {
namespace {

constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;  // 2^64 over the golden ratio
constexpr std::size_t kChunkBytes = std::size_t{8} << 20;

std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  state = (state ^ word) * kOdd;
  return state ^ (state >> 32);
}

std::uint64_t word_at(const std::byte* data, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, data, bytes);
  return word;
}

}  // namespace

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) {
  std::array<std::uint64_t, 4> lanes{seed, seed + 1, seed + 2, seed + 3};
  const std::byte* data = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 32; data += 32, left -= 32)
    for (std::size_t i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], word_at(data + 8 * i, 8));
  for (std::size_t i = 0; left > 0; ++i) {
    const std::size_t take = std::min<std::size_t>(left, 8);
    lanes[i] = mix(lanes[i], word_at(data, take));
    data += take;
    left -= take;
  }
  std::uint64_t hash = mix(seed, bytes.size());
  for (const std::uint64_t lane : lanes) hash = mix(hash, lane);
  return mix(hash, seed);
}

std::string weights_hash(const Model& model, int threads) {
  std::vector<const MappedFile*> files;
  for (const auto& [path, file] : model.storage->data_files()) files.push_back(&file);
  std::sort(files.begin(), files.end(),
            [](const MappedFile* a, const MappedFile* b) { return a->file().filename() < b->file().filename(); });
  files.insert(files.begin(), &model.storage->model_file());

  std::vector<std::span<const std::byte>> chunks;
  for (const MappedFile* file : files)
    for (auto rest = file->bytes(); !rest.empty(); rest = rest.subspan(std::min(kChunkBytes, rest.size())))
      chunks.push_back(rest.first(std::min(kChunkBytes, rest.size())));

  std::vector<std::uint64_t> hashes(chunks.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < chunks.size(); i = next++) hashes[i] = hash_bytes(chunks[i], i);
  };
  std::vector<std::jthread> helpers;
  for (int i = 1; i < threads && static_cast<std::size_t>(i) < chunks.size(); ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // joins
  model.storage->model_file().release_pages();
  return fmt::format("gg1-{:016x}", hash_bytes(std::as_bytes(std::span(hashes)), files.size()));
}

}  // namespace gonogo::onnx
