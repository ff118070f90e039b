// The device constants that one session keeps alive, whatever happens to its plans.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "engine/cuda/weights.hpp"

namespace gonogo::engine::cuda {

class WeightLease {
 public:
  explicit WeightLease(std::shared_ptr<Weights> weights) : weights_(std::move(weights)) {}

  [[nodiscard]] std::byte* upload(const std::byte* host, std::size_t bytes) {
    return keep({host, ""}, [&] { return weights_->upload(host, bytes); });
  }
  [[nodiscard]] std::byte* packed(const std::byte* host, const std::string& layout, std::size_t bytes,
                                  const Weights::Pack& pack) {
    return keep({host, layout}, [&] { return weights_->packed(host, layout, bytes, pack); });
  }
  /// What upload() gave for these bytes, or null.
  [[nodiscard]] std::byte* find(const std::byte* host) const {
    const auto kept = kept_.find({host, ""});
    return kept == kept_.end() ? nullptr : kept->second->data();
  }
  [[nodiscard]] core::DeviceBuffer stage(const std::byte* host, std::size_t bytes) {
    return weights_->stage(host, bytes);
  }

 private:
  template <class Make>
  std::byte* keep(std::pair<const std::byte*, std::string> key, Make&& make) {
    SharedBuffer& kept = kept_[std::move(key)];
    if (kept == nullptr) kept = make();
    return kept->data();
  }

  std::shared_ptr<Weights> weights_;
  std::map<std::pair<const std::byte*, std::string>, SharedBuffer> kept_;
};

}  // namespace gonogo::engine::cuda
