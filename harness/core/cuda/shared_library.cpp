#include "harness/core/cuda/shared_library.hpp"

#include <dlfcn.h>

namespace gonogo::core {

SharedLibrary::SharedLibrary(const std::vector<std::string>& names) {
  std::string tried;
  for (const std::string& name : names) {
    handle_.reset(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL));
    if (handle_) {
      name_ = name;
      return;
    }
    const char* why = dlerror();
    tried += (tried.empty() ? "" : "; ") + std::string(why != nullptr ? why : name);
  }
  throw EnvironmentError("cannot open a shared library: " + tried);
}

void* SharedLibrary::find(const char* symbol) const noexcept { return dlsym(handle_.get(), symbol); }

void SharedLibrary::Close::operator()(void* handle) const noexcept { dlclose(handle); }

}  // namespace gonogo::core
