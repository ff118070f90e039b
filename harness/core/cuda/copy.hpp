// Copies and fills, all asynchronous and ordered in a stream. Host memory must stay alive until the stream has passed
// them.
#pragma once

#include <cstddef>

#include "harness/core/cuda/stream.hpp"

namespace gonogo::core {

void copy_to_device(void* device, const void* host, std::size_t bytes, StreamRef stream);
void copy_to_host(void* host, const void* device, std::size_t bytes, StreamRef stream);
void copy_on_device(void* to, const void* from, std::size_t bytes, StreamRef stream);
/// Every byte becomes `value`.
void fill_bytes(void* device, unsigned char value, std::size_t bytes, StreamRef stream);

}  // namespace gonogo::core
