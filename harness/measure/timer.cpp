#include "harness/measure/timer.hpp"

#include <algorithm>
#include <vector>

#include "harness/core/error.hpp"

namespace gonogo::measure {

TimerFloor timer_floor(const std::function<std::int64_t()>& clock, int steps) {
  GONOGO_EXPECT(steps > 0, std::to_string(steps));
  constexpr std::int64_t kMostReads = 1'000'000;
  std::vector<std::int64_t> seen;
  const std::int64_t start = clock();
  std::int64_t last = start, reads = 0;
  while (seen.size() < static_cast<std::size_t>(steps)) {
    const std::int64_t now = clock();
    ++reads;
    if (now < last) throw core::EnvironmentError("the clock runs backwards");
    if (now > last) seen.push_back(now - last);
    last = now;
    if (reads == kMostReads && seen.empty()) throw core::EnvironmentError("the clock stands still");
    if (reads == kMostReads) break;
  }
  return {.resolution_ns = *std::min_element(seen.begin(), seen.end()),
          .read_ns = std::max<std::int64_t>(1, (last - start) / reads)};
}

}  // namespace gonogo::measure
