#include "tests/gpu/gpu_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "harness/core/half.hpp"
#include "tests/catch.hpp"

namespace gonogo::tests {

bool gpu_ready() {
  std::string reason;
  if (const core::Eligibility usable = core::devices_usable(); !usable) {
    reason = to_string(usable.reason());
  } else if (const core::Eligibility code = core::has_code_for(core::device_facts(core::current_device()).sm); !code) {
    reason = to_string(code.reason());
  } else {
    return true;
  }
  skip_test(("no usable GPU: " + reason).c_str());
  return false;
}

DeviceArray::DeviceArray(std::size_t bytes, core::StreamRef stream)
    : buffer_(bytes + 2 * kGuard), size_(bytes), stream_(stream) {
  core::fill_bytes(buffer_.data(), 0xa5, buffer_.size(), stream);
  poison();
}

DeviceArray::DeviceArray(const Bytes& content, core::StreamRef stream) : DeviceArray(content.size(), stream) {
  upload(content);
}

void DeviceArray::poison() {
  if (size_ > 0) core::fill_bytes(data(), 0xff, size_, stream_);
}

void DeviceArray::upload(const Bytes& content) {
  REQUIRE(content.size() == size_);
  if (size_ == 0) return;
  core::copy_to_device(data(), content.data(), size_, stream_);
  stream_.synchronize();
}

Bytes DeviceArray::download() const {
  Bytes content(size_);
  if (size_ == 0) return content;
  core::copy_to_host(content.data(), data(), size_, stream_);
  stream_.synchronize();
  return content;
}

bool DeviceArray::guards_intact() const {
  Bytes all(buffer_.size());
  core::copy_to_host(all.data(), buffer_.data(), all.size(), stream_);
  stream_.synchronize();
  const auto intact = [](std::byte b) { return b == std::byte{0xa5}; };
  return std::all_of(all.begin(), all.begin() + kGuard, intact) && std::all_of(all.end() - kGuard, all.end(), intact);
}

Bytes encode(core::DType type, const std::vector<double>& values) {
  Bytes bytes(core::bytes_of(type, static_cast<std::int64_t>(values.size())));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<float>(values[i]);
    if (type == core::DType::f32) {
      std::memcpy(&bytes[4 * i], &value, 4);
    } else {
      const std::uint16_t bits = type == core::DType::f16 ? core::f32_to_f16(value) : core::f32_to_bf16(value);
      std::memcpy(&bytes[2 * i], &bits, 2);
    }
  }
  return bytes;
}

std::vector<double> decode(core::DType type, const Bytes& bytes) {
  const std::size_t width = type == core::DType::f32 ? 4 : 2;
  std::vector<double> values(bytes.size() / width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (type == core::DType::f32) {
      float value = 0;
      std::memcpy(&value, &bytes[4 * i], 4);
      values[i] = value;
    } else {
      std::uint16_t bits = 0;
      std::memcpy(&bits, &bytes[2 * i], 2);
      values[i] = type == core::DType::f16 ? core::f16_to_f32(bits) : core::bf16_to_f32(bits);
    }
  }
  return values;
}

double half_ulp(core::DType type, double value) {
  const int digits = type == core::DType::f32 ? 24 : type == core::DType::f16 ? 11 : 8;
  const double smallest = type == core::DType::f16 ? std::ldexp(1.0, -25) : std::ldexp(1.0, -140);
  return std::max(std::ldexp(std::abs(value), -digits), smallest);
}

std::vector<double> normals(core::DType type, std::size_t count, double sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0.0, sigma);
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return decode(type, encode(type, values));
}

Bytes run_all_ways(const core::Stream& stream, DeviceArray& out, const std::function<void()>& launch) {
  out.poison();
  launch();
  const Bytes eager = out.download();
  core::GraphCapture capture(stream);
  launch();
  const core::GraphExec exec(capture.finish());
  for (int replay = 0; replay < 2; ++replay) {
    out.poison();
    exec.launch(stream);
    const Bytes captured = out.download();
    CAPTURE(replay);
    CHECK(captured == eager);
  }
  CHECK(out.guards_intact());
  return eager;
}

Difference compare(const std::vector<double>& got, const std::vector<double>& want, const std::vector<double>& bound) {
  REQUIRE(got.size() == want.size());
  REQUIRE(got.size() == bound.size());
  REQUIRE_FALSE(got.empty());
  Difference difference;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(got[i])) {
      if (difference.non_finite++ == 0) difference.text = fmt::format("[{}] is {}", i, got[i]);
      continue;
    }
    const double ratio = std::abs(got[i] - want[i]) / bound[i];
    if (!(ratio <= difference.worst_ratio)) {
      difference.worst_ratio = ratio;
      if (difference.non_finite == 0)
        difference.text = fmt::format("[{}] got {} want {} bound {}", i, got[i], want[i], bound[i]);
    }
  }
  return difference;
}

}  // namespace gonogo::tests
