// Stock Google Benchmark tools must read a record: runs its compare.py on two of them.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/record/run_record.hpp"
#include "harness/record/strict_json.hpp"
#include "tests/catch.hpp"
#include "tests/folders.hpp"
#include "tests/record/sample_record.hpp"

using namespace gonogo;

TEST_CASE("Google Benchmark's compare.py reads two records, failed rows included, and prints a table", "[record]") {
  const std::string script = "/usr/share/benchmark/compare.py";
  if (!std::filesystem::exists(script) ||
      std::system("/usr/bin/python3 -c 'import numpy, scipy' > /dev/null 2>&1") != 0)
    return tests::skip_test("compare.py, python3-numpy or python3-scipy is not installed");
  const auto folder = tests::build_folder();
  auto base = tests::sample_record();
  auto head = base;
  for (double& sample : head.rows[0].gpu_ms) sample *= 2;
  head.rows[1].status = record::Status::failed;  // ok in base, failed in head
  head.rows[1].reason = "lost";
  record::write_file(folder / "compare_base.json", record::to_text(base));
  record::write_file(folder / "compare_head.json", record::to_text(head));
  const auto output = (folder / "compare_output.txt").string();
  const std::string command = "PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 " + script + " --no-color benchmarks '" +
                              (folder / "compare_base.json").string() + "' '" +
                              (folder / "compare_head.json").string() + "' > '" + output + "' 2>&1";
  const int result = std::system(command.c_str());
  const auto table = record::read_text(output);
  CAPTURE(table);
  CHECK(result == 0);
  CHECK(table.find("latest/verify/m:8/past:512_median") != std::string::npos);
  CHECK(table.find("+0.7500") != std::string::npos);  // median wall 3.0 -> 5.25
  CHECK(table.find("OVERALL_GEOMEAN") != std::string::npos);
  CHECK(table.find("Traceback") == std::string::npos);
}
