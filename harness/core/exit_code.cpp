#include "harness/core/exit_code.hpp"

namespace gonogo::core {
namespace {
int rank(ExitCode code) {
  switch (code) {
    case ExitCode::usage:
      return 5;
    case ExitCode::failed_rows:
      return 4;
    case ExitCode::no_go:
      return 3;
    case ExitCode::invalid_environment:
      return 2;
    case ExitCode::inconclusive:
      return 1;
    case ExitCode::ok:
      return 0;
  }
  return 0;
}
}  // namespace

ExitCode stronger(ExitCode a, ExitCode b) { return rank(a) >= rank(b) ? a : b; }

ExitCode strongest(std::initializer_list<ExitCode> codes) {
  ExitCode result = ExitCode::ok;
  for (const ExitCode code : codes) result = stronger(result, code);
  return result;
}

std::string_view name_of(ExitCode code) {
  switch (code) {
    case ExitCode::ok:
      return "ok";
    case ExitCode::no_go:
      return "no-go";
    case ExitCode::usage:
      return "usage";
    case ExitCode::inconclusive:
      return "inconclusive";
    case ExitCode::failed_rows:
      return "failed-rows";
    case ExitCode::invalid_environment:
      return "invalid-environment";
  }
  return "unknown";
}

}  // namespace gonogo::core
