// A small record with every kind of row and metric, for tests of writing and reading.
#pragma once

#include "harness/record/run_record.hpp"

namespace gonogo::tests {

inline record::Row sample_row(const std::string& name, std::vector<double> gpu_ms) {
  record::Row row;
  row.name = name;
  row.metric = "verify.gpu_ms/m=8/past=512";
  row.stack = "latest";
  row.mode = "captured";
  row.d2h_ms.assign(gpu_ms.size(), 0.25);
  row.host_ms.assign(gpu_ms.size(), 0.5);
  row.gpu_ms = std::move(gpu_ms);
  return row;
}

inline record::RunRecord sample_record() {
  record::RunRecord run;
  const char* argv[] = {"/opt/bin/marlin_bench", "--model", "/data/models/tiny", "--json=/tmp/run.json"};
  run.environment = record::describe_environment(4, argv);
  run.model = {{"name", "tiny"}, {"weight_bytes", 9007199254740993}};
  run.options = {{"model", "/data/models/tiny"}, {"seed", 1}};
  run.plan = {{"latest", {{"hash", "00ff"}}}};
  run.probes = {{"capture", {{"steps", 1000}}}};
  run.rows.push_back(sample_row("latest/verify/m:8/past:512", {2.0, 2.5, 2.25, 2.0, 3.0, 2.75, 2.125}));
  run.rows.push_back(sample_row("latest/decode/past:512", {1.0}));
  record::Row failed = sample_row("latest/prefill/l:64", {});
  failed.status = record::Status::failed;
  failed.reason = "logits of row 0 hold NaN";
  run.rows.push_back(failed);
  record::StackResult latest{.name = "latest", .levers = {"gemm", "fusion"}, .metrics = {}};
  latest.metrics["bstar.verify/m=8/past=512"] = record::measured(2.16, "1", record::Better::lower);
  latest.metrics["dram.share/m=1/op=gate_up"] =
      record::absent(record::Status::unmeasured, "needs a cuda device", "1", record::Better::higher);
  run.stacks.push_back(latest);
  run.complete = true;
  return run;
}

}  // namespace gonogo::tests
