#include "engine/models/cache.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <system_error>

#include "engine/models/write_model.hpp"
#include "harness/core/error.hpp"

namespace gonogo::models {
namespace fs = std::filesystem;
namespace {

/// Part of every folder's identity: raise it when the same spec and seed give other bytes.
constexpr int kGeneration = 1;

ModelSpec spec_of(std::string_view name, const PresetOptions& options) {
  ModelSpec spec = find_preset(name).spec;
  if (options.layers) spec.layers = *options.layers;
  if (const auto answer = check_spec(spec); !answer) throw core::UsageError(core::to_string(answer.reason()));
  return spec;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

}  // namespace

fs::path default_cache_dir() {
  if (const char* own = setting("GONOGO_CACHE")) return own;
  if (const char* xdg = setting("XDG_CACHE_HOME")) return fs::path(xdg) / "gonogo";
  if (const char* home = setting("HOME")) return fs::path(home) / ".cache" / "gonogo";
  throw core::EnvironmentError("no folder for preset models: set GONOGO_CACHE or HOME, or give --cache-dir");
}

fs::path preset_folder(std::string_view name, const PresetOptions& options) {
  const ModelSpec spec = spec_of(name, options);
  const auto identity = fnv1a(fmt::format("{} {} seed={}", kGeneration, describe(spec), options.seed));
  const fs::path cache = options.cache_dir.empty() ? default_cache_dir() : options.cache_dir;
  return cache / fmt::format("{}-l{}-s{}-{:016x}", name, spec.layers, options.seed, identity);
}

fs::path ensure_preset(std::string_view name, const PresetOptions& options) {
  const ModelSpec spec = spec_of(name, options);
  const fs::path folder = preset_folder(name, options);
  if (fs::exists(folder)) {
    if (!find_damage(spec, folder, options.seed)) return folder;
    fs::remove_all(folder);
  }
  remove_leftovers(folder);
  try {
    write_model(spec, folder, {options.seed, options.threads, options.progress});
  } catch (const core::Error&) {
    // Another process may have put the same folder in place meanwhile.
    if (!fs::exists(folder) || find_damage(spec, folder, options.seed)) throw;
  }
  return folder;
}

}  // namespace gonogo::models
