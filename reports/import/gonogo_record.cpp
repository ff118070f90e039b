// Our own run record: the flat metrics of every stack, with the samples of the rows that feed them.
#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string_view>

#include "reports/import/formats.hpp"
#include "harness/record/run_record.hpp"

namespace gonogo::reports {
namespace {

using record::Better;
using record::Status;

// Counts of the machine's own steps: the same run gives the same number.
constexpr std::array<std::string_view, 11> kExact{"capture.",           "parity.",           "e2e.tokens",
                                                  "stability.captures", "stability.growths", "stability.invalidations",
                                                  "stability.replays",  "stability.steps",   "stability.replay_share",
                                                  "stability.thrash",   "stability.warm_ups"};

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

bool is_exact(std::string_view metric) {
  for (const std::string_view exact : kExact)
    if (starts_with(metric, exact)) return true;
  return false;
}

Status status_of(const std::string& name) {
  for (const Status status : {Status::ok, Status::skipped, Status::failed, Status::invalid})
    if (name == name_of(status)) return status;
  return Status::unmeasured;
}

Better better_of(const std::string& name) {
  return name == "lower" ? Better::lower : name == "higher" ? Better::higher : Better::none;
}

struct Group {  // the benchmark rows of one name
  std::string name, metric, stack, reason;
  Status status = Status::ok;
  std::vector<double> gpu, wall;
  std::string place;
};

std::vector<Group> groups_of(const Json& rows) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> at;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto name = rows[i]["run_name"].get<std::string>();
    const auto [found, fresh] = at.emplace(name, groups.size());
    if (fresh) groups.push_back({.name = name, .place = fmt::format("benchmarks[{}]", i)});
    Group& group = groups[found->second];
    if (rows[i]["run_type"] == "iteration") {
      group.gpu.push_back(rows[i]["gonogo"]["gpu_ms"].get<double>());
      group.wall.push_back(rows[i]["real_time"].get<double>());
    } else if (rows[i].contains("gonogo")) {
      const Json& ours = rows[i]["gonogo"];
      group.metric = ours["metric"].get<std::string>();
      group.stack = ours["stack"].get<std::string>();
      group.status = status_of(ours["status"].get<std::string>());
      if (group.status != Status::ok) group.reason = ours["reason"].get<std::string>();
    }
  }
  return groups;
}

// "prefill.tok_per_s/l=512" -> 512 tokens a sample; 1 for a decode step.
double tokens_of(const std::string& metric) {
  const auto at = metric.find("/l=");
  return at == std::string::npos ? 1 : std::strtod(metric.c_str() + at + 3, nullptr);
}

class Reader {
 public:
  explicit Reader(const Json& document) : document_(document), groups_(groups_of(document["benchmarks"])) {
    for (const Group& group : groups_) by_metric_[{group.stack, group.metric}] = &group;
  }

  ImportedRun read() {
    run_.format = Format::gonogo_record;
    read_facts();
    for (const auto& [stack, content] : document_["stacks"].items())
      for (const auto& [metric, value] : content["metrics"].items()) read_metric(stack, metric, value);
    for (const Group& group : groups_)
      if (used_.count(&group) == 0) read_group(group);
    if (document_["status"] == "partial")
      run_.notes.push_back("a partial record: " + document_["partial_reason"].get<std::string>());
    for (const Json& word : document_["argv"]) run_.argv.push_back(word.get<std::string>());
    return std::move(run_);
  }

 private:
  void fact(const Json& object, const char* key, const char* as, FactKind kind = FactKind::identity) {
    if (!object.is_object()) return;
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return;
    add_fact(run_, as, found->is_string() ? found->get<std::string>() : found->dump(), kind);
  }

  // The device that computes is the last one: the host comes first.
  void read_facts() {
    const Json& device = document_["devices"].back();
    fact(device, "name", "device");
    fact(device, "kind", "backend");
    for (const char* key : {"compute_capability", "sms", "cores", "available_cores", "memory_bytes", "mig", "ecc"})
      fact(device, key, key);
    for (const char* key : {"clock_policy", "power_limit_w", "runtime"}) fact(device, key, key);
    if (const auto driver = device.find("driver"); driver != device.end() && driver->is_string())
      add_fact(run_, "driver", driver->get<std::string>().substr(0, driver->get<std::string>().find('.')));
    for (const char* key : {"mhz", "sm_clock_mhz", "memory_clock_mhz"}) fact(device, key, key, FactKind::reading);
    for (const char* key : {"uuid", "pci_id"}) fact(device, key, key, FactKind::environment);
    const Json& context = document_["context"];
    if (context["cpu_scaling_enabled"].is_boolean())
      add_fact(run_, "cpu_clock_policy", context["cpu_scaling_enabled"].get<bool>() ? "scaling" : "fixed");
    fact(context, "host_name", "host", FactKind::environment);
    fact(context, "kernel", "kernel", FactKind::environment);
    note_load(run_, context);
    fact(document_["model"], "name", "model");
    fact(document_["model"], "weights_hash", "weights");
    fact(document_["build"], "build_type", "build_type");
    fact(document_["build"], "sanitize", "sanitize");
    fact(document_["build"], "git_sha", "commit", FactKind::environment);
    fact(document_["build"], "compiler", "compiler", FactKind::environment);
    fact(document_["build"], "flags", "flags", FactKind::environment);
    fact(document_["options"], "threads", "threads");
    fact(document_["options"], "seed", "seed");
    fact(document_, "schema_version", "schema");
  }

  [[nodiscard]] std::string levers_of(const std::string& stack) const {
    const auto found = document_["levers"].find(stack);
    return found == document_["levers"].end()
               ? ""
               : fmt::format("{}", fmt::join(found->get<std::vector<std::string>>(), " "));
  }

  void read_metric(const std::string& stack, const std::string& metric, const Json& value) {
    ImportedRow row{.name = stack,
                    .metric = metric,
                    .unit = value["unit"].get<std::string>(),
                    .better = better_of(value["better"].get<std::string>()),
                    .levers = levers_of(stack),
                    .status = status_of(value["status"].get<std::string>()),
                    .reason = {},
                    .samples = {},
                    .exact = is_exact(metric),
                    .single_reason = "the record holds one value of it, not a sample",
                    .place = fmt::format("stacks.{}.metrics.{}", stack, metric)};
    if (row.status != Status::ok)
      row.reason = value["reason"].get<std::string>();
    else if (!take_samples(row, stack))
      take_value(row, value["value"].get<double>());
    run_.rows.push_back(std::move(row));
  }

  static void take_value(ImportedRow& row, double value) {
    row.samples = {value};
    if (!row.exact) row.role = Role::derived;
  }

  // Whether a timed row feeds the metric; "x.wall_ms" is the wall of the row that feeds "x.gpu_ms".
  bool take_samples(ImportedRow& row, const std::string& stack) {
    std::string fed_by = row.metric;
    const auto wall = fed_by.find(".wall_ms");
    if (wall != std::string::npos) fed_by.replace(wall, 8, ".gpu_ms");
    const auto found = by_metric_.find({stack, fed_by});
    if (found == by_metric_.end() || found->second->gpu.empty()) return false;
    const Group& group = *found->second;
    used_.insert(&group);
    if (row.unit == "ms") {
      row.samples = wall == std::string::npos ? group.gpu : group.wall;
    } else if (row.unit == "tok/s") {
      std::vector<double> rates;
      for (const double ms : group.wall) rates.push_back(ms > 0 ? 1000 * tokens_of(row.metric) / ms : 0);
      set_samples(row, rates, 1);
    } else {
      return false;
    }
    return true;
  }

  // A timed row that feeds no metric of its stack.
  void read_group(const Group& group) {
    run_.rows.push_back({.name = group.name,
                         .metric = "gpu_ms",
                         .unit = "ms",
                         .levers = levers_of(group.stack),
                         .status = group.status,
                         .reason = group.reason,
                         .samples = group.gpu,
                         .single_reason = "one sample only: run with more --iters",
                         .place = group.place});
  }

  const Json& document_;
  std::vector<Group> groups_;
  std::map<std::pair<std::string, std::string>, const Group*> by_metric_;
  std::set<const Group*> used_;
  ImportedRun run_;
};

}  // namespace

bool is_gonogo_record(const Json& document) { return document.is_object() && document.contains("schema"); }

ImportedRun import_gonogo_record(const std::string& text, const std::string& file) {
  const Json document = record::parse_record(text, file);
  return Reader(document).read();
}

}  // namespace gonogo::reports
