// How fast this machine reads memory: the ceiling of every byte roofline.
#pragma once

#include <cstdint>

#include "harness/record/json.hpp"

namespace gonogo::probes {

/// Bytes are decimal: 1 GB/s is 1e9 bytes a second.
struct ReadBandwidth {
  double bytes_per_second = 0;   // best of `repetitions`
  std::int64_t working_set = 0;  // bytes read again and again, split evenly over the threads
  int threads = 0;
  int repetitions = 0;
  std::int64_t last_level_cache = 0;  // bytes; 0 where the system does not say
  [[nodiscard]] bool cache_resident() const { return working_set <= last_level_cache; }
};

/// Reads `working_set` bytes with `threads` threads over and over for about `budget_ms`. The ceiling of a step that
/// reads W bytes is the bandwidth at a working set of W: small models live in the cache, and DRAM bandwidth would not
/// bound them. Throws EnvironmentError when the memory is not there.
[[nodiscard]] ReadBandwidth measure_read_bandwidth(std::int64_t working_set, int threads, double budget_ms = 300);

[[nodiscard]] record::Json to_json(const ReadBandwidth& bandwidth);

}  // namespace gonogo::probes
