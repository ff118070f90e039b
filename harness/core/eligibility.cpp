#include "harness/core/eligibility.hpp"

namespace gonogo::core {

std::string to_string(const Refusal& refusal) {
  return refusal.rule + ": wanted " + refusal.wanted + ", got " + refusal.got;
}

Eligibility refuse(std::string rule, std::string wanted, std::string got) {
  return Eligibility(Refusal{std::move(rule), std::move(wanted), std::move(got)});
}

Eligibility refuse(std::string rule, long long wanted, long long got) {
  return refuse(std::move(rule), std::to_string(wanted), std::to_string(got));
}

}  // namespace gonogo::core
