// A decisions folder in a temporary place, with a run and a gate to decide by.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "harness/record/sha256.hpp"
#include "harness/record/strict_json.hpp"
#include "reports/decisions/make_drop.hpp"
#include "reports/decisions/store.hpp"
#include "tests/record/sample_record.hpp"
#include "tests/reports/gate_texts.hpp"

namespace gonogo::tests {

inline constexpr const char* kBstar = "bstar.verify/m=8/past=512";

/// A run of today with this B* and this M=1 median.
inline record::Json decided_run(double bstar, double decode_ms = 10) {
  auto run = sample_record();
  run.rows.pop_back();
  run.stacks[0].metrics[kBstar] = record::measured(bstar, "1", record::Better::lower);
  run.stacks[0].metrics["decode.gpu_ms/past=512"] = record::measured(decode_ms, "ms", record::Better::lower);
  run.plan = {
      {"latest",
       {{"widths",
         {{{"m", 1}, {"hash", "aa"}, {"kernels", {{{"op", "MatMulNBits"}, {"kernel", "simd"}, {"count", 21}}}}}}}}}};
  record::Json json = record::to_json(run);
  json["build"]["git_sha"] = std::string(40, 'a');
  json["build"]["git_dirty"] = false;
  json["context"]["date"] = "2026-12-01T10:00:00+00:00";
  json["context"]["load_avg"] = record::Json::array();  // the same bytes whenever it is made
  json["context"]["mhz_per_cpu"] = nullptr;
  json["devices"][0]["mhz"] = nullptr;
  return json;
}

class DecisionsFolder {
 public:
  explicit DecisionsFolder(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("gonogo_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path);
    for (const char* part : {"inbox", "evidence", "gates"}) std::filesystem::create_directories(path / part);
    write("gates/g.json", gate_text(term_text(kBstar, "<=", "2", R"(, "no_go": 4)")));
  }
  ~DecisionsFolder() { std::filesystem::remove_all(path); }
  DecisionsFolder(const DecisionsFolder&) = delete;
  DecisionsFolder& operator=(const DecisionsFolder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path / name).parent_path());
    record::write_file(path / name, text);
  }
  [[nodiscard]] std::string read(const std::string& name) const { return record::read_text(path / name); }

  [[nodiscard]] reports::Evidence evidence(const std::string& name, const record::Json& run) const {
    const std::string text = record::dump_strict(run);
    write("evidence/" + name, text);
    return {"evidence/" + name, record::sha256(text), record::parse_record(text, name)};
  }

  /// A drop on a run with this B*, in the inbox.
  reports::PlacedDrop drop(const std::string& topic, double bstar, reports::DropRequest request = {}) const {
    request.id = "2026-12-01-" + topic;
    request.date = "2026-12-01";
    if (request.question.empty()) request.question = "Shall we fund " + topic + "?";
    const auto made =
        reports::make_drop(request, {evidence(topic + ".json", decided_run(bstar))}, {}, reports::gates_of(path));
    const auto text = reports::to_markdown(made);
    write("inbox/" + request.id + ".md", text);
    return reports::parse_drops(text, request.id + ".md").drops.at(0);
  }

  std::filesystem::path path;
};

}  // namespace gonogo::tests
