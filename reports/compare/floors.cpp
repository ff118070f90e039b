// Measured noise floors: those of `gonogo calibrate`, where they hold for the sides.
#include <fmt/format.h>

#include "harness/core/error.hpp"
#include "reports/compare/comparison.hpp"
#include "reports/pair/noise.hpp"

namespace gonogo::reports {

std::map<std::string, NoiseFloor> floors_from(const std::string& file, const std::vector<ImportedRun>& base,
                                              const std::vector<ImportedRun>& cand) {
  const NoiseFile noise = read_noise(file);
  for (const auto* runs : {&base, &cand})
    for (const ImportedRun& run : *runs) {
      std::map<std::string, std::string> facts;
      for (const Fact& fact : run.facts) facts[fact.key] = fact.value;
      if (const auto holds = holds_for(noise, facts); !holds)
        throw core::EnvironmentError(fmt::format("{}: the noise floor is of another machine than {}: {}", file,
                                                 run.file, core::to_string(holds.reason())));
    }
  std::map<std::string, NoiseFloor> floors;
  for (const auto& [name, row] : noise.rows) floors[name] = {.one_run = row.run_floor, .many_runs = row.mean_floor};
  return floors;
}

}  // namespace gonogo::reports
