// Opens sessions on the backend a user asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/session/session.hpp"

namespace gonogo::tools {

struct BackendChoice {
  std::string name = "auto";  // "auto": cuda where this build and machine have it, else cpu; "cpu"; "cuda"
  std::int64_t device = 0;    // CUDA's index; 0 on the cpu backend
};

/// Keeps the device and what is on it for as long as it lives; sessions must not outlive it.
class Backend {
 public:
  /// Throws EnvironmentError for cuda in a build or on a machine without it, UsageError for a device of the cpu backend
  /// other than 0.
  explicit Backend(const BackendChoice& choice);
  ~Backend();
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }  // "cpu", "cuda"

  /// Throws as the backend's sessions do. `model` is the same at every call: weights are shared.
  [[nodiscard]] std::unique_ptr<engine::Session> open(const std::shared_ptr<const engine::LoadedModel>& model,
                                                      const engine::SessionOptions& options) const;

 private:
  struct Device;
  std::string name_;
  std::unique_ptr<Device> device_;
};

}  // namespace gonogo::tools
