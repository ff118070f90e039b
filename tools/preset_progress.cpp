#include "tools/preset_progress.hpp"

#include <memory>

#include "harness/cli/progress.hpp"

namespace gonogo::tools {

models::Progress preset_progress() {
  constexpr std::int64_t kStep = 1'000'000;
  // Shared, because a std::function copies what it holds; made at the first call, which knows the total.
  return
      [bar = std::shared_ptr<cli::Progress>(), shown = std::int64_t{0}](std::int64_t done, std::int64_t total) mutable {
        if (!bar) bar = std::make_shared<cli::Progress>("writing the model, MB", total / kStep);
        const std::int64_t steps = done / kStep;
        if (steps > shown) bar->advance(steps - shown);
        shown = steps;
      };
}

}  // namespace gonogo::tools
