#include "engine/session/logits.hpp"

#include <string>

#include "harness/core/error.hpp"
#include "harness/core/half.hpp"
#include "kernels/sample/argmax.hpp"

namespace gonogo::engine {

void HostLogits::clear() {
  values_ = {};
  argmax_.clear();
  finite_ = true;
}

void HostLogits::convert(const core::Tensor& logits) {
  GONOGO_EXPECT(!logits.shape.empty() && logits.shape.back() > 0, core::to_string(logits.shape));
  clear();
  const auto count = static_cast<std::size_t>(logits.count());
  if (logits.dtype == core::DType::f32) {
    values_ = {logits.as<float>(), count};
  } else {
    GONOGO_EXPECT(logits.dtype == core::DType::f16, std::string(core::name_of(logits.dtype)));
    if (converted_.size() < count * sizeof(float)) converted_ = core::HostBuffer(count * sizeof(float));
    core::f16_to_f32(logits.as<std::uint16_t>(), converted_.as<float>(), count);
    values_ = {converted_.as<float>(), count};
  }
}

void HostLogits::read(const core::Tensor& logits) {
  convert(logits);
  const auto vocab = static_cast<std::size_t>(logits.shape.back());
  for (std::size_t row = 0; row < values_.size(); row += vocab) {
    const kernels::sample::Choice choice = kernels::sample::argmax(values_.subspan(row, vocab));
    argmax_.push_back(choice.index);
    finite_ = finite_ && choice.all_finite;
  }
}

}  // namespace gonogo::engine
