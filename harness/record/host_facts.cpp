#include "harness/record/host_facts.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace gonogo::record {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value of "key : value" or key=value in a file of such lines; empty when absent.
std::string value_of(const fs::path& path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(separator);
    if (at == std::string::npos || line.rfind(key, 0) != 0) continue;
    if (line.find_last_not_of(" \t", at - 1) + 1 != key.size()) continue;
    auto value = line.substr(at + 1);
    value.erase(0, value.find_first_not_of(" \t\""));
    value.erase(value.find_last_not_of(" \t\"") + 1);
    return value;
  }
  return "";
}

std::optional<int> mhz() {
  if (const auto khz = first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq"); !khz.empty())
    return static_cast<int>(std::strtol(khz.c_str(), nullptr, 10) / 1000);
  const auto text = value_of("/proc/cpuinfo", "cpu MHz", ':');
  if (text.empty()) return std::nullopt;
  return static_cast<int>(std::strtod(text.c_str(), nullptr) + 0.5);
}

std::optional<bool> scaling_enabled() {
  const auto governor = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
  if (governor.empty()) return std::nullopt;
  return governor != "performance";
}

std::int64_t bytes_of(const std::string& text) {  // "1024K", "32M"
  char* end = nullptr;
  const std::int64_t number = std::strtoll(text.c_str(), &end, 10);
  return *end == 'K' ? number << 10 : *end == 'M' ? number << 20 : number;
}

int listed_cpus(const std::string& list) {  // "0-3,8"
  int count = 0;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto dash = part.find('-');
    const int first = std::atoi(part.c_str());
    count += dash == std::string::npos ? 1 : std::atoi(part.c_str() + dash + 1) - first + 1;
  }
  return count;
}

std::vector<CacheFacts> caches_from_sys() {
  std::vector<CacheFacts> caches;
  for (int i = 0;; ++i) {
    const fs::path folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i);
    CacheFacts cache{.type = first_line(folder / "type"),
                     .level = std::atoi(first_line(folder / "level").c_str()),
                     .size_bytes = bytes_of(first_line(folder / "size")),
                     .sharing = listed_cpus(first_line(folder / "shared_cpu_list"))};
    if (cache.type.empty()) return caches;
    if (cache.size_bytes <= 0) continue;
    if (*cache.sharing < 1) cache.sharing.reset();
    caches.push_back(std::move(cache));
  }
}

// Where /sys is silent (some virtual machines) the C library asks the processor.
std::vector<CacheFacts> caches_from_libc() {
  struct Query {
    int name;
    const char* type;
    int level;
  };
  std::vector<CacheFacts> caches;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  for (const Query& query : {Query{_SC_LEVEL1_DCACHE_SIZE, "Data", 1}, Query{_SC_LEVEL1_ICACHE_SIZE, "Instruction", 1},
                             Query{_SC_LEVEL2_CACHE_SIZE, "Unified", 2}, Query{_SC_LEVEL3_CACHE_SIZE, "Unified", 3}})
    if (const long size = ::sysconf(query.name); size > 0)
      caches.push_back({query.type, query.level, size, std::nullopt});
#endif
  return caches;
}

std::vector<std::string> features() {
  const auto flags =
      fmt::format(" {}{} ", value_of("/proc/cpuinfo", "flags", ':'), value_of("/proc/cpuinfo", "Features", ':'));
  std::vector<std::string> found;
  for (const char* name :
       {"sse4_2", "avx", "avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512vl", "avx512_vnni", "avx512_bf16",
        "avx_vnni", "amx_int8", "amx_bf16", "asimd", "asimddp", "i8mm", "bf16", "sve", "sve2"})
    if (flags.find(fmt::format(" {} ", name)) != std::string::npos) found.emplace_back(name);
  return found;
}

int available_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

HostFacts host_facts() {
  HostFacts facts;
  utsname names{};
  if (::uname(&names) == 0) {
    facts.host_name = names.nodename;
    facts.kernel = std::string(names.sysname) + " " + names.release + " " + names.machine;
  }
  facts.cpu_name = value_of("/proc/cpuinfo", "model name", ':');
  if (facts.cpu_name.empty()) facts.cpu_name = std::string("unknown ") + names.machine;
  facts.distribution = value_of("/etc/os-release", "PRETTY_NAME", '=');
  facts.cpus = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  facts.available_cpus = available_cpus();
  facts.mhz = mhz();
  facts.scaling_enabled = scaling_enabled();
  facts.caches = caches_from_sys();
  if (facts.caches.empty()) facts.caches = caches_from_libc();
  double load[3];
  const int loads = ::getloadavg(load, 3);
  facts.load_average.assign(load, load + std::max(0, loads));
  facts.features = features();
  facts.memory_bytes = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return facts;
}

}  // namespace gonogo::record
