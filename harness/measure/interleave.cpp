#include "harness/measure/interleave.hpp"

namespace gonogo::measure {

std::vector<std::size_t> interleave(std::size_t arms, std::size_t samples) {
  std::vector<std::size_t> order;
  order.reserve(arms * samples);
  for (std::size_t round = 0; round < samples; ++round)
    for (std::size_t i = 0; i < arms; ++i) order.push_back(round % 2 == 0 ? i : arms - 1 - i);
  return order;
}

}  // namespace gonogo::measure
