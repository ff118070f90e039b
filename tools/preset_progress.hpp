// Progress of writing a model, for people who watch.
#pragma once

#include "engine/models/data_file.hpp"

namespace gonogo::tools {

/// A bar on stderr in megabytes; silent when stderr is no terminal.
[[nodiscard]] models::Progress preset_progress();

}  // namespace gonogo::tools
