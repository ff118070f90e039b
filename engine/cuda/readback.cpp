#include "engine/cuda/readback.hpp"

#include <algorithm>

#include "harness/core/cuda/copy.hpp"
#include "kernels/sample/cuda/argmax.hpp"

namespace gonogo::engine::cuda {
namespace {

namespace sample = kernels::sample::cuda;

sample::Problem problem_of(const core::Tensor& logits) {
  const std::int64_t vocab = logits.shape.back();
  return {.rows = logits.count() / vocab, .vocab = vocab, .type = logits.dtype};
}

template <class Buffer>
void grow(Buffer& buffer, std::size_t bytes) {
  if (buffer.size() >= bytes) return;
  buffer = Buffer();
  buffer = Buffer(bytes);
}

}  // namespace

void DeviceReadback::reserve(const core::Tensor& logits) {
  const sample::Problem p = problem_of(logits);
  const std::size_t choice_bytes = static_cast<std::size_t>(p.rows) * (sizeof(std::int64_t) + sizeof(std::int32_t));
  grow(choices_, choice_bytes);
  grow(host_choices_, choice_bytes);
  grow(workspace_, std::max<std::size_t>(sample::workspace_bytes(p), 16));
}

void DeviceReadback::start(const core::Tensor& logits, Wanted wanted, core::StreamRef stream) {
  rows_ = 0;
  wants_logits_ = wants_logits(wanted);
  if (wanted == Wanted::nothing) return;
  const sample::Problem p = problem_of(logits);
  rows_ = p.rows;
  ids_bytes_ = static_cast<std::size_t>(rows_) * sizeof(std::int64_t);
  const std::size_t bytes = ids_bytes_ + static_cast<std::size_t>(rows_) * sizeof(std::int32_t);
  sample::argmax(p,
                 {.logits = logits.data,
                  .ids = choices_.as<std::int64_t>(),
                  .non_finite = reinterpret_cast<std::int32_t*>(choices_.data() + ids_bytes_),
                  .workspace = workspace_.data()},
                 stream);
  core::copy_to_host(host_choices_.data(), choices_.data(), bytes, stream);
  if (!wants_logits_) return;
  grow(host_bytes_, logits.bytes());
  host_logits_ = {logits.dtype, logits.shape, host_bytes_.data()};
  core::copy_to_host(host_bytes_.data(), logits.data, logits.bytes(), stream);
}

Readback DeviceReadback::finish() {
  const auto rows = static_cast<std::size_t>(rows_);
  Readback result;
  result.argmax = {host_choices_.as<const std::int64_t>(), rows};
  const auto* non_finite = reinterpret_cast<const std::int32_t*>(host_choices_.data() + ids_bytes_);
  result.all_finite = rows == 0 || std::all_of(non_finite, non_finite + rows, [](std::int32_t n) { return n == 0; });
  if (!wants_logits_) return result;
  converted_.convert(host_logits_);
  result.logits = converted_.values();
  return result;
}

}  // namespace gonogo::engine::cuda
