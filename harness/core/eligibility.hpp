// "Can this run here?" as a value: accepted, or a refusal that says which rule, what it wants and what it got.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace gonogo::core {

struct Refusal {
  std::string rule;    // "block_size, one of"
  std::string wanted;  // "16, 32, 64, 128, 256"
  std::string got;     // "512"
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

/// "rule: wanted X, got Y"
[[nodiscard]] std::string to_string(const Refusal& refusal);

class [[nodiscard]] Eligibility {
 public:
  Eligibility() = default;                                        // accepted
  Eligibility(Refusal refusal) : refusal_(std::move(refusal)) {}  // NOLINT: a refusal is an answer

  explicit operator bool() const noexcept { return !refusal_.has_value(); }
  /// The refusal; only when not accepted.
  [[nodiscard]] const Refusal& reason() const { return refusal_.value(); }

 private:
  std::optional<Refusal> refusal_;
};

inline Eligibility accept() { return {}; }
Eligibility refuse(std::string rule, std::string wanted, std::string got);
Eligibility refuse(std::string rule, long long wanted, long long got);

}  // namespace gonogo::core
