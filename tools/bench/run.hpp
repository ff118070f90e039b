// One run: the axes in order, every result into the record as soon as it is there.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/exit_code.hpp"
#include "harness/record/run_record.hpp"
#include "probes/bandwidth.hpp"
#include "probes/capture_attempt.hpp"
#include "probes/m_scaling.hpp"
#include "probes/subject.hpp"
#include "tools/bench/model.hpp"
#include "tools/bench/options.hpp"

namespace gonogo::bench {

/// Opens a fresh session of a stack; tests give one over scripted sessions.
using OpenSession = std::function<std::unique_ptr<engine::Session>(const engine::Stack&)>;

/// What a run asks of the machine it measures.
struct Machine {
  OpenSession open;
  /// The device's read ceiling; nothing where the host's memory is the one to measure.
  std::function<std::optional<probes::ReadBandwidth>()> read_bandwidth = [] {
    return std::optional<probes::ReadBandwidth>();
  };
};
/// After an axis, complete or not.
using AfterAxis = std::function<void(Axis)>;

class Run {
 public:
  Run(Options options, Machine machine, record::RunRecord& record);

  /// Fits defaults to the model (a context shorter than the default length), then checks every option against it.
  /// Throws UsageError before anything is measured.
  void prepare();

  /// Measures. A probe that throws fails its own axis, not the run. Stops between samples when `monitor` is
  /// interrupted; the record stays partial then.
  void measure(const probes::Monitor& monitor, const AfterAxis& after);

  /// What the axes themselves say, before any gate: failed rows, wrong output, an interrupt.
  [[nodiscard]] core::ExitCode outcome() const { return outcome_; }
  [[nodiscard]] const Options& options() const { return options_; }
  /// What the sessions run on; known after prepare().
  [[nodiscard]] const std::string& backend() const { return backend_; }
  [[nodiscard]] int threads() const { return threads_; }

 private:
  struct Opened {
    std::vector<std::unique_ptr<engine::Session>> sessions;
    std::vector<probes::Subject> subjects;
  };
  [[nodiscard]] Opened open_all() const;
  void run_axis(Axis axis, const probes::Monitor& monitor);
  void parity(const probes::Monitor& monitor);
  void m_scaling(const probes::Monitor& monitor);
  void capture(const probes::Monitor& monitor);
  void seams(const probes::Monitor& monitor);
  void prefill(const probes::Monitor& monitor);
  void e2e(const probes::Monitor& monitor);
  void dram(const probes::Monitor& monitor);

  void describe_model();
  void measure_bandwidth(engine::Session& session);
  [[nodiscard]] const std::vector<probes::CaptureAttempt>& attempts(const probes::Subject& subject,
                                                                    const probes::Monitor& monitor);
  record::StackResult& stack(const std::string& name);
  void add(Axis axis, const std::string& name, record::Json structured);
  void add_metrics(const std::string& name, probes::Metrics metrics);
  void add_rows(const std::string& name, std::vector<record::Row> rows);
  void fail(Axis axis, core::ExitCode code, const std::string& why);
  void warn(std::string text) { record_.warnings.push_back(std::move(text)); }

  Options options_;
  OpenSession open_;
  std::function<std::optional<probes::ReadBandwidth>()> ceiling_;
  record::RunRecord& record_;
  core::ExitCode outcome_ = core::ExitCode::ok;
  engine::ModelFacts facts_;
  std::string backend_;
  int threads_ = 0;
  std::optional<probes::ReadBandwidth> bandwidth_;
  std::map<std::string, std::string> wrong_;  // stack -> why its output is not right
  std::map<std::string, std::vector<probes::CaptureAttempt>> attempts_;
};

}  // namespace gonogo::bench
