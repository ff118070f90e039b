#include "harness/core/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace gonogo::core {
namespace {

std::string text_of(const Fault& fault) {
  std::string text;
  if (!fault.file.empty()) text += fault.file + ": ";
  if (!fault.place.empty()) text += fault.place + ": ";
  text += fault.what;
  if (!fault.remedy.empty()) text += " (" + fault.remedy + ")";
  return text;
}

}  // namespace

InputError::InputError(Fault fault) : Error(ExitCode::usage, text_of(fault)), fault_(std::move(fault)) {}

LogicError::LogicError(std::string_view expression, std::string_view file, int line, const std::string& detail)
    : Error(ExitCode::failed_rows, fmt::format("{}:{}: expected {}: {}", file, line, expression, detail)) {}

}  // namespace gonogo::core
