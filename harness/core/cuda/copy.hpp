// Copies and fills, all asynchronous and ordered in a stream. Host memory must stay alive until the stream has passed
// them.
#pragma once

#include <cstddef>

#include "harness/core/cuda/stream.hpp"

namespace gonogo::core {

void copy_to_device(void* device, const void* host, std::size_t bytes, StreamRef stream);
void copy_to_host(void* host, const void* device, std::size_t bytes, StreamRef stream);
void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream);
/// Rows of `bytes` bytes, `pitch` apart on either side.
struct PitchedBytes {
  std::byte* data = nullptr;
  std::size_t pitch = 0;
};
struct RowExtent {
  std::size_t rows = 0;
  std::size_t bytes = 0;  // of each row
};
void copy_rows_on_device(PitchedBytes to, PitchedBytes from, RowExtent extent, StreamRef stream);
/// Every byte becomes `value`.
void fill_bytes(void* device, unsigned char value, std::size_t bytes, StreamRef stream);

}  // namespace gonogo::core
