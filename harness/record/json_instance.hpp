// JSON, its member functions compiled once (json_instance.cpp) and not by every unit that names one. Only the
// precompiled headers read this: units include <nlohmann/json.hpp>.
#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<nlohmann::ordered_map>;
