#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "harness/core/error.hpp"
#include "reports/gates/metric_path.hpp"
#include "reports/seeds/seeds.hpp"
#include "harness/record/metric.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

using record::Better;

struct Kind {
  const char* base;
  const char* unit;
  Better better;
};
constexpr std::array kKinds{
    Kind{"bstar.verify", "1", Better::lower},
    Kind{"capture.allocs", "1", Better::lower},
    Kind{"capture.captured", "1", Better::higher},
    Kind{"capture.seams", "1", Better::lower},
    Kind{"capture.segments", "1", Better::lower},
    Kind{"cliff.eager_ms", "ms", Better::lower},
    Kind{"decode.wall_ms", "ms", Better::lower},
    Kind{"dram.share", "1", Better::higher},
    Kind{"e2e.tok_per_s", "tok/s", Better::higher},
    Kind{"eager.wall_ms", "ms", Better::lower},
    Kind{"parity.captured_eager", "1", Better::higher},
    Kind{"parity.nan", "1", Better::lower},
    Kind{"prefill.tok_per_s", "tok/s", Better::higher},
    Kind{"stability.captures", "1", Better::none},
    Kind{"stability.growths", "1", Better::none},
    Kind{"stability.invalidations", "1", Better::lower},
    Kind{"stability.replay_share", "1", Better::higher},
    Kind{"stability.replays", "1", Better::higher},
    Kind{"stability.steps", "1", Better::none},
    Kind{"stability.tok_per_s", "tok/s", Better::higher},
    Kind{"tail.eager_ms_per_row", "ms", Better::lower},
    Kind{"verify.wall_ms", "ms", Better::lower},
};

const Kind& kind_of(const std::string& metric) {
  const auto path = parse_metric_path(metric);
  for (const Kind& kind : kKinds)
    if (path && path->base == kind.base) return kind;
  throw core::InputError({"configurations.json", metric, "the metric is of no known kind", ""});
}

// What the tables do not say is unknown, or the least that a record may hold.
Json environment(const SeedConfiguration& configuration) {
  return {{"context",
           {{"date", configuration.date + "T00:00:00+00:00"},
            {"host_name", "unknown"},
            {"executable", configuration.engine},
            {"num_cpus", 1},
            {"mhz_per_cpu", nullptr},
            {"cpu_scaling_enabled", nullptr},
            {"caches", Json::array()},
            {"load_avg", Json::array()},
            {"library_version", "unknown"},
            {"library_build_type", "release"},
            {"json_schema_version", 1}}},
          {"devices", Json::array({{{"kind", "cuda"}, {"name", "NVIDIA H200"}}})},
          {"build",
           {{"git_sha", configuration.commit},
            {"git_dirty", nullptr},
            {"compiler", "unknown"},
            {"flags", "unknown"},
            {"build_type", "Release"},
            {"libraries", Json::object()}}},
          {"argv", Json::array({configuration.engine})}};
}

Json seam_list(const SeedConfiguration& configuration) {
  Json list = Json::array();
  for (const auto& [op, count] : configuration.seams)
    list.push_back({{"op", op}, {"reason", "unstated"}, {"kernel", "unstated"}, {"count", count}});
  return list;
}

// A published B* that is not the quotient of the published times comes from another run than they do.
std::string disagreement(const SeedConfiguration& configuration) {
  const auto get = [&](const std::string& name) {
    const auto found = configuration.metrics.find(name);
    return found == configuration.metrics.end() ? std::nan("") : found->second;
  };
  const double bstar = get("bstar.verify/m=8/past=unstated"), one = get("decode.wall_ms/past=unstated"),
               eight = get("verify.wall_ms/m=8/past=unstated");
  if (!(std::fabs(eight / one / bstar - 1) > 0.01)) return "";
  return fmt::format("the published B* is {}, the published times give {} / {} = {:.2f}", bstar, eight, one,
                     eight / one);
}

}  // namespace

Json seed_record(const Seeds& seeds, const SeedConfiguration& configuration) {
  record::RunRecord run;
  run.environment = environment(configuration);
  run.model = {{"name", configuration.model}, {"label", configuration.model + " int4"}};
  run.options = {{"note", configuration.note}};
  record::StackResult stack{.name = configuration.stack, .levers = {}, .metrics = {}};
  for (const auto& [name, value] : configuration.metrics)
    stack.metrics[name] = record::measured(value, kind_of(name).unit, kind_of(name).better);
  for (const auto& [name, reason] : configuration.absent)
    stack.metrics[name] = record::absent(record::Status::unmeasured, reason, kind_of(name).unit, kind_of(name).better);
  if (configuration.metrics.contains("capture.seams/m=8"))
    run.probes = {{"seams",
                   {{configuration.stack, Json::array({{{"m", 8},
                                                        {"status", "ok"},
                                                        {"captured", true},
                                                        {"segments", configuration.metrics.at("capture.segments/m=8")},
                                                        {"seams", seam_list(configuration)}}})}}}};
  run.stacks.push_back(std::move(stack));
  run.complete = true;
  run.warnings = {"imported, not measured by this program: " + seeds.sources.at(configuration.source),
                  "host, driver and compiler were not published; num_cpus is a filler"};
  if (!configuration.note.empty()) run.warnings.push_back(configuration.note);
  if (const auto text = disagreement(configuration); !text.empty()) run.warnings.push_back(text);
  return record::to_json(run);
}

}  // namespace gonogo::reports
