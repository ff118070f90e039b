// The JSON type of records and reports, declared only: most headers name it and few use it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace gonogo::record {

/// Keeps the order in which keys were added.
using Json = nlohmann::ordered_json;

}  // namespace gonogo::record
