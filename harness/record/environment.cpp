#include <nlohmann/json.hpp>
#include <gnu/libc-version.h>

#include <ctime>
#include <filesystem>
#include <sstream>

#include "harness/record/build_info.hpp"
#include "harness/record/host_facts.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::record {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &utc);
  return text;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json caches_json(const std::vector<CacheFacts>& caches) {
  Json result = Json::array();
  for (const CacheFacts& cache : caches)
    result.push_back({{"type", cache.type},
                      {"level", cache.level},
                      {"size", cache.size_bytes},
                      {"num_sharing", or_null(cache.sharing)}});
  return result;
}

Json libraries_json(const std::string& list) {  // "fmt=9.1.0 CLI11=2.1.2"
  Json result = Json::object();
  std::istringstream words(list);
  for (std::string word; words >> word;)
    if (const auto at = word.find('='); at != std::string::npos) result[word.substr(0, at)] = word.substr(at + 1);
  result["glibc"] = ::gnu_get_libc_version();
  return result;
}

Json build_json() {
  const BuildInfo& info = build_info();
  return {{"git_sha", info.git_sha},   {"git_dirty", or_null(info.git_dirty)},
          {"version", info.version},   {"compiler", info.compiler},
          {"flags", info.flags},       {"build_type", info.build_type},
          {"sanitize", info.sanitize}, {"libraries", libraries_json(info.libraries)}};
}

Json context_json(const HostFacts& host, const std::string& executable) {
  return {{"date", utc_now()},
          {"host_name", host.host_name},
          {"executable", executable},
          {"num_cpus", host.cpus},
          {"mhz_per_cpu", or_null(host.mhz)},
          {"cpu_scaling_enabled", or_null(host.scaling_enabled)},
          {"caches", caches_json(host.caches)},
          {"load_avg", host.load_average},
          {"library_version", build_info().version},
          {"library_build_type",
           build_info().build_type == "Debug" || build_info().build_type.empty() ? "debug" : "release"},
          {"json_schema_version", 1},
          {"cpu_name", host.cpu_name},
          {"kernel", host.kernel},
          {"distribution", host.distribution},
          {"available_cpus", host.available_cpus}};
}

Json cpu_device(const HostFacts& host) {
  return {{"kind", "cpu"},
          {"name", host.cpu_name},
          {"cores", host.cpus},
          {"available_cores", host.available_cpus},
          {"mhz", or_null(host.mhz)},
          {"memory_bytes", host.memory_bytes},
          {"features", host.features}};
}

}  // namespace

Json describe_environment(int argc, const char* const* argv) {
  const HostFacts host = host_facts();
  Json arguments = Json::array();
  for (int i = 0; i < argc; ++i) arguments.push_back(path_free(argv[i]));
  const std::string executable = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "unknown";
  if (!arguments.empty()) arguments[0] = executable;
  Json result = Json::object();
  result["context"] = context_json(host, executable);
  result["devices"] = Json::array({cpu_device(host)});
  result["build"] = build_json();
  result["argv"] = arguments;
  return result;
}

}  // namespace gonogo::record
