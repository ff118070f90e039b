// The order in which arms that are compared take their samples.
#pragma once

#include <cstddef>
#include <vector>

namespace gonogo::measure {

/// Round robin with alternating direction, one entry a sample: 2 arms, 4 samples each: A B B A A B B A. Every arm has
/// `samples` entries, and over each pair of rounds the same mean position, so a linear drift favours none. Empty when
/// either is 0.
[[nodiscard]] std::vector<std::size_t> interleave(std::size_t arms, std::size_t samples);

}  // namespace gonogo::measure
