// The way to a value inside a JSON document: "benchmarks[3].gonogo.gpu_ms[0]".
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace gonogo::record {

using PathPart = std::variant<std::string, std::size_t>;  // a key or an index
using KeyPath = std::vector<PathPart>;

[[nodiscard]] std::string to_string(const KeyPath& path);

}  // namespace gonogo::record
