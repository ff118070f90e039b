// Opens sessions on the backend a user asks for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/session.hpp"
#include "harness/record/json.hpp"
#include "probes/bandwidth.hpp"

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

  /// Puts the device first among the record's devices, and how it is now; nothing on the cpu backend, whose device is
  /// the host that every record tells.
  void describe(record::Json& environment);
  /// After a run: how the device is now, and what contaminated the timings since describe(), a line each.
  [[nodiscard]] std::vector<std::string> finish(record::Json& environment) const;
  /// The read ceiling of a device; nothing on the cpu backend.
  [[nodiscard]] std::optional<probes::ReadBandwidth> read_bandwidth() const;

  /// Throws as the backend's sessions do. Sessions over one model, opened one after another, share its weights on the
  /// device; those of another model are dropped with its last session.
  [[nodiscard]] std::unique_ptr<engine::Session> open(const std::shared_ptr<const engine::LoadedModel>& model,
                                                      const engine::SessionOptions& options) const;

 private:
  struct Device;
  std::string name_;
  std::unique_ptr<Device> device_;
};

}  // namespace gonogo::tools
