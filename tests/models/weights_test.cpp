#include "engine/models/weights.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "engine/models/presets.hpp"
#include "engine/models/write_model.hpp"
#include "engine/onnx/model.hpp"
#include "harness/core/half.hpp"
#include "tests/catch.hpp"
#include "tests/data_path.hpp"
#include "tests/models/temp_folder.hpp"

using namespace gonogo;
using models::Fill;
using models::ModelSpec;
using models::TensorSpec;

namespace {

std::vector<std::byte> all_of(const ModelSpec& spec, const TensorSpec& tensor, std::uint64_t seed = 1) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.bytes));
  models::TensorBytes(spec, tensor, seed).fill(0, bytes);
  return bytes;
}

float value_at(const std::vector<std::byte>& bytes, core::DType dtype, std::size_t index) {
  if (dtype == core::DType::f16) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes.data() + index * 2, 2);
    return core::f16_to_f32(half);
  }
  float value = 0;
  std::memcpy(&value, bytes.data() + index * 4, 4);
  return value;
}

unsigned nibble(const std::vector<std::byte>& bytes, std::int64_t row_bytes, std::int64_t row, std::int64_t k) {
  const auto byte = std::to_integer<unsigned>(bytes[static_cast<std::size_t>(row * row_bytes + k / 2)]);
  return k % 2 == 0 ? byte & 15u : byte >> 4;
}

ModelSpec odd_spec(core::DType io, bool symmetric) {
  ModelSpec spec = models::find_preset("tiny-glm").spec;
  spec.io = io;
  spec.symmetric = symmetric;
  spec.hidden = 237;  // odd, and no multiple of the block
  spec.ffn = 299;
  spec.block_size = 32;  // 8 and 10 blocks a row
  spec.layers = 2;
  spec.context = 77;
  return spec;
}

}  // namespace

TEST_CASE("any range of a tensor has the bytes that the whole has there", "[models]") {
  for (const auto io : {core::DType::f32, core::DType::f16})
    for (const bool symmetric : {true, false}) {
      const ModelSpec spec = odd_spec(io, symmetric);
      const auto layout = models::lay_out(spec);
      REQUIRE(layout.tensors.size() > 20);
      for (const TensorSpec& tensor : layout.tensors) {
        const auto whole = all_of(spec, tensor);
        const models::TensorBytes source(spec, tensor, 1);
        for (const std::int64_t step : {std::int64_t{8}, std::int64_t{40}, std::int64_t{1000}}) {
          if (step == 8 && tensor.bytes > 20000) continue;
          std::vector<std::byte> parts(whole.size(), std::byte{0xa5});
          for (std::int64_t begin = 0; begin < tensor.bytes; begin += step)
            source.fill(begin,
                        std::span(parts).subspan(static_cast<std::size_t>(begin),
                                                 static_cast<std::size_t>(std::min(step, tensor.bytes - begin))));
          INFO(tensor.name << " in steps of " << step);
          CHECK((parts == whole));
        }
      }
    }
}

TEST_CASE("tensors differ from each other and from seed to seed", "[models]") {
  const ModelSpec spec = models::find_preset("tiny").spec;
  const auto layout = models::lay_out(spec);
  std::vector<std::vector<std::byte>> seen;
  for (const TensorSpec& tensor : layout.tensors) {
    if (tensor.fill == Fill::cosine || tensor.fill == Fill::sine) continue;
    auto bytes = all_of(spec, tensor);
    CHECK((bytes != all_of(spec, tensor, 2)));
    for (const auto& other : seen) CHECK((bytes != other));
    seen.push_back(std::move(bytes));
  }
  CHECK(seen.size() == layout.tensors.size() - 2);
}

TEST_CASE("scales are finite, normal numbers of their type, of both signs only without zero points", "[models]") {
  int tensors = 0;
  for (const models::Preset& preset : models::presets())
    for (const bool symmetric : {true, false}) {
      ModelSpec spec = preset.spec;
      spec.symmetric = symmetric;
      spec.vocab = 512;  // enough rows to see, few to make
      for (const TensorSpec& tensor : models::lay_out(spec).tensors) {
        if (tensor.fill != Fill::scales || tensor.bytes > (1 << 20)) continue;
        ++tensors;
        const auto bytes = all_of(spec, tensor);
        const std::size_t count = bytes.size() / (tensor.dtype == core::DType::f16 ? 2 : 4);
        const float smallest_normal = tensor.dtype == core::DType::f16 ? 6.103515625e-5f : 1.1754944e-38f;
        std::size_t negative = 0, wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const float scale = value_at(bytes, tensor.dtype, i);
          const double magnitude = std::fabs(double(scale)) / tensor.spread;
          wrong += !(std::fabs(scale) >= smallest_normal && magnitude > 0.74 && magnitude < 1.26);
          negative += scale < 0;
        }
        INFO(preset.name << " " << tensor.name);
        CHECK(wrong == 0);
        if (symmetric)
          CHECK((negative > count / 4 && negative < count * 3 / 4));
        else
          CHECK(negative == 0);
      }
    }
  CHECK(tensors > 100);
}

TEST_CASE("codes are uniform within K and 8 beyond it, also where K is odd", "[models]") {
  const ModelSpec spec = odd_spec(core::DType::f16, true);
  int checked = 0;
  for (const TensorSpec& tensor : models::lay_out(spec).tensors) {
    if (tensor.fill != Fill::codes) continue;
    const std::int64_t rows = tensor.dims[0], row_bytes = tensor.dims[1] * tensor.dims[2];
    const auto bytes = all_of(spec, tensor);
    std::array<std::int64_t, 16> histogram{};
    std::int64_t wrong_padding = 0;
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t k = 0; k < row_bytes * 2; ++k)
        if (k < tensor.row)
          ++histogram[nibble(bytes, row_bytes, row, k)];
        else
          wrong_padding += nibble(bytes, row_bytes, row, k) != 8;
    INFO(tensor.name);
    CHECK(wrong_padding == 0);
    // Each bin is binomial; six deviations leave a chance of 1e-9 per bin.
    const double n = double(rows * tensor.row), expected = n / 16, deviation = std::sqrt(n * 15 / 256);
    for (const std::int64_t bin : histogram) CHECK(std::fabs(double(bin) - expected) < 6 * deviation);
    ++checked;
  }
  CHECK(checked == 2 * 5 + 1);
}

TEST_CASE("zero points are 6 to 9 and the half byte after an odd block count is 0", "[models]") {
  ModelSpec spec = odd_spec(core::DType::f32, false);
  spec.ffn = 9 * 32;  // nine blocks
  int odd = 0;
  for (const TensorSpec& tensor : models::lay_out(spec).tensors) {
    if (tensor.fill != Fill::zero_points) continue;
    const auto bytes = all_of(spec, tensor);
    std::int64_t wrong = 0;
    for (std::int64_t row = 0; row < tensor.dims[0]; ++row)
      for (std::int64_t block = 0; block < tensor.dims[1] * 2; ++block) {
        const unsigned value = nibble(bytes, tensor.dims[1], row, block);
        wrong += block < tensor.row ? value < 6 || value > 9 : value != 0;
      }
    INFO(tensor.name);
    CHECK(wrong == 0);
    odd += tensor.row % 2 == 1;
  }
  CHECK(odd == 2);  // down_proj of two layers
}

TEST_CASE("norms lie near 1 and an embedding has the deviation it was asked", "[models]") {
  const ModelSpec spec = models::find_preset("tiny").spec;
  int seen = 0;
  for (const TensorSpec& tensor : models::lay_out(spec).tensors) {
    if (tensor.fill != Fill::gaussian) continue;
    const auto bytes = all_of(spec, tensor);
    const std::size_t count = bytes.size() / 4;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = value_at(bytes, tensor.dtype, i);
      sum += value;
      squares += (value - tensor.mean) * (value - tensor.mean);
    }
    INFO(tensor.name);
    // Standard errors of a mean and of a deviation, times six.
    CHECK(std::fabs(sum / double(count) - tensor.mean) < 6 * tensor.spread / std::sqrt(double(count)));
    CHECK(std::fabs(std::sqrt(squares / double(count)) / tensor.spread - 1) <
          6 / std::sqrt(2.0 * double(count)) + 1e-3);
    ++seen;
  }
  CHECK(seen == 1 + 4 * 3 + 1);
}

TEST_CASE("cos and sin tables are the builder's to one unit in the last place", "[models]") {
  const ModelSpec spec = models::find_preset("tiny-glm").spec;
  const auto reference = onnx::load(tests::data_path("models/tiny-glm4-b128-cuda/model.onnx"));
  int compared = 0;
  for (const TensorSpec& tensor : models::lay_out(spec).tensors)
    for (const auto& initializer : reference.initializers) {
      if (initializer.name != tensor.name || (tensor.fill != Fill::cosine && tensor.fill != Fill::sine)) continue;
      ++compared;
      const auto own = all_of(spec, tensor);
      const auto* theirs = initializer.tensor.as<std::uint16_t>();
      std::int64_t far = 0;
      for (std::size_t i = 0; i < own.size() / 2; ++i) {
        const float a = value_at(own, tensor.dtype, i), b = core::f16_to_f32(theirs[i]);
        // One unit of float16, or of the float32 angle (up to 2048) where the value itself is tiny.
        far += !(std::fabs(a - b) <= std::max(std::fabs(b) * 0x1p-10f, 2048 * 0x1p-24f));
      }
      CHECK(far == 0);
    }
  CHECK(compared == 2);
}

TEST_CASE("a written model loads and its initialisers hold the bytes of their ranges", "[models]") {
  const tests::TempFolder temp;
  const ModelSpec spec = models::find_preset("tiny-glm").spec;
  models::write_model(spec, temp.path() / "model", {.seed = 5});
  const auto model = onnx::load(onnx::find_model_file(temp.path() / "model"));
  const auto layout = models::lay_out(spec);
  REQUIRE(model.initializers.size() == layout.tensors.size());
  for (std::size_t i = 0; i < layout.tensors.size(); ++i) {
    const TensorSpec& tensor = layout.tensors[i];
    const auto& loaded = model.initializers[i];
    CHECK(loaded.name == tensor.name);
    CHECK(loaded.tensor.shape == tensor.dims);
    CHECK(loaded.tensor.dtype == tensor.dtype);
    CHECK(std::memcmp(loaded.tensor.data, all_of(spec, tensor, 5).data(), loaded.tensor.bytes()) == 0);
  }
}
