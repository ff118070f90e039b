#include <limits>

#include "harness/record/run_record.hpp"
#include "tests/catch.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;

TEST_CASE("CSV has a line per sample, quotes what needs it and leaves undefined cells empty", "[record]") {
  record::RunRecord run;
  auto row = tests::sample_row("latest/decode, past:512", {1.5, 0.1});
  row.d2h_ms.clear();
  row.flags = {{}, {"outlier", "throttled"}};
  run.rows.push_back(row);
  record::Row failed;
  failed.name = "x";
  failed.status = record::Status::failed;
  failed.reason = "said \"no\"\nand left";
  run.rows.push_back(failed);
  CHECK(
      record::rows_csv(run) ==
      "name,metric,stack,mode,status,reason,sample,gpu_ms,d2h_ms,host_ms,wall_ms,flags\r\n"
      "\"latest/decode, past:512\",verify.gpu_ms/m=8/past=512,latest,captured,ok,,0,1.5,,0.5,2,\r\n"
      "\"latest/decode, past:512\",verify.gpu_ms/m=8/past=512,latest,captured,ok,,1,0.1,,0.5,0.6,outlier throttled\r\n"
      "x,,,,failed,\"said \"\"no\"\"\nand left\",,,,,,\r\n");
}

TEST_CASE("a metric without a value has an empty cell, its status and its reason", "[record]") {
  record::RunRecord run;
  record::StackResult stack{.name = "latest", .levers = {}, .metrics = {}};
  stack.metrics["a"] = record::measured(0.25, "ms", record::Better::lower);
  stack.metrics["b"] = record::absent(record::Status::unmeasured, "no device", "1", record::Better::higher);
  stack.metrics["c"] = {.value = std::numeric_limits<double>::quiet_NaN(), .unit = "ms"};
  run.stacks.push_back(stack);
  CHECK(record::metrics_csv(run) ==
        "stack,metric,value,unit,better,status,reason\r\n"
        "latest,a,0.25,ms,lower,ok,\r\n"
        "latest,b,,1,higher,unmeasured,no device\r\n"
        "latest,c,,ms,none,invalid,\r\n");
}

TEST_CASE("Markdown cells cannot break out of their table", "[record]") {
  record::RunRecord run;
  run.rows.push_back(tests::sample_row("a|b\nc", {2, 3, 4}));
  CHECK(record::rows_markdown(run) ==
        "| row | mode | n | median ms | min | p10 | p90 | status | reason |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
        "| a\\|b c | captured | 3 | 3 | 2 | 2.2 | 3.8 | ok |  |\n");
}
