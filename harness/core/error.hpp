// Exceptions that end a program: each says what is wrong, where, what to do about it, and the exit code.
// An expected "cannot" is no exception but a value: see eligibility.hpp.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "harness/core/exit_code.hpp"

namespace gonogo::core {

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
};

/// Wrong options, or an argument out of range. Exit code 2.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ExitCode::usage, message) {}
};

/// Where an input fault lies and how to mend it.
struct Fault {
  std::string file;    // the file at fault; empty when there is none
  std::string place;   // node, tensor, key path, line or byte; empty when the whole file is at fault
  std::string what;    // what is wrong, built from the values tested
  std::string remedy;  // what the user can do; empty when nothing is known
};

/// An unreadable or malformed input: model, record, gate file. Exit code 2. The message reads "FILE: PLACE: WHAT
/// (REMEDY)".
class InputError : public Error {
 public:
  explicit InputError(Fault fault);
  [[nodiscard]] const Fault& fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

/// A wrong or missing result: failed parity, a non-finite logit, a probe that crashed. Exit code 4.
class ResultError : public Error {
 public:
  explicit ResultError(const std::string& message) : Error(ExitCode::failed_rows, message) {}
};

/// The machine cannot run this, or not validly: no such device, busy, out of memory. Exit code 5.
class EnvironmentError : public Error {
 public:
  explicit EnvironmentError(const std::string& message) : Error(ExitCode::invalid_environment, message) {}
};

/// A broken promise between two parts of this program: a bug here. Exit code 4.
class LogicError : public Error {
 public:
  LogicError(std::string_view expression, std::string_view file, int line, const std::string& detail);
};

}  // namespace gonogo::core

/// A precondition that is alive in every build type. The detail is a std::string built from the values tested.
#define GONOGO_EXPECT(condition, detail)                                                          \
  do {                                                                                            \
    if (!(condition)) throw ::gonogo::core::LogicError(#condition, __FILE__, __LINE__, (detail)); \
  } while (false)
