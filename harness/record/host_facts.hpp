// Facts about this machine's host, asked of the system; what it does not tell is absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gonogo::record {

struct CacheFacts {
  std::string type;  // "Data", "Instruction", "Unified"
  int level = 0;
  std::int64_t size_bytes = 0;
  std::optional<int> sharing;  // logical CPUs that share it
};

struct HostFacts {
  std::string host_name, cpu_name, kernel, distribution;
  int cpus = 1;            // logical, online
  int available_cpus = 1;  // that this process may run on
  std::optional<int> mhz;
  std::optional<bool> scaling_enabled;  // a frequency governor other than "performance"
  std::vector<CacheFacts> caches;
  std::vector<double> load_average;   // 1, 5, 15 minutes
  std::vector<std::string> features;  // instruction sets that matter to the kernels
  std::int64_t memory_bytes = 0;
};

[[nodiscard]] HostFacts host_facts();

}  // namespace gonogo::record
