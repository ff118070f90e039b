// A library opened at run time, so that a program starts where it is absent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/core/error.hpp"

namespace gonogo::core {

/// Move-only; closed at the end.
class SharedLibrary {
 public:
  /// Opens the first of `names` that the dynamic loader finds. Throws EnvironmentError with the loader's words for
  /// each.
  explicit SharedLibrary(const std::vector<std::string>& names);
  [[nodiscard]] const std::string& name() const { return name_; }

  /// The function of this name. Throws EnvironmentError when the library has none.
  template <class Function>
  [[nodiscard]] Function* function(const char* symbol) const {
    void* found = find(symbol);
    if (found == nullptr) throw EnvironmentError(name_ + " has no function " + symbol);
    return reinterpret_cast<Function*>(found);
  }
  /// Null when the library has none.
  [[nodiscard]] void* find(const char* symbol) const noexcept;

 private:
  struct Close {
    void operator()(void* handle) const noexcept;
  };
  std::unique_ptr<void, Close> handle_;
  std::string name_;
};

}  // namespace gonogo::core
