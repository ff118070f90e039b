// What a probe measures and how it stays interruptible: sessions under their stack names, and a monitor.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "engine/session/session.hpp"

namespace gonogo::probes {

/// One stack under measurement. The session is the probe's alone while it runs; the caller keeps it alive.
struct Subject {
  std::string name;  // of the stack
  engine::Session* session = nullptr;
};
using Subjects = std::span<const Subject>;

/// Asked between samples. After an interrupt a probe returns what it has, marked incomplete.
struct Monitor {
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

}  // namespace gonogo::probes
