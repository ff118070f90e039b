// A 64-bit hash of all bytes a model was loaded from, for records: fast, not cryptographic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "engine/onnx/model.hpp"

namespace gonogo::onnx {

/// The hash of a run of bytes. Four lanes take the 8-byte words in turn: lane = (lane ^ word) * kOdd, then lane ^= lane
/// >> 32; the last word is padded with zeros; lanes and the length are folded the same way, starting from `seed`.
[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed);

/// "gg1-" and 16 hexadecimal digits over the .onnx file and every external data file that it uses, data files in the
/// order of their sorted names. Files are cut into chunks of 8 MiB; chunk hashes (seeded with their index) are folded
/// in order, so the result depends neither on the number of threads nor on where the files lie. Reads every byte: call
/// it on demand.
[[nodiscard]] std::string weights_hash(const Model& model, int threads);

}  // namespace gonogo::onnx
