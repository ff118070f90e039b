#include "harness/core/error.hpp"

#include "tests/catch.hpp"

using namespace gonogo::core;

TEST_CASE("exit codes follow the precedence 2 > 4 > 1 > 5 > 3 > 0", "[core]") {
  const ExitCode order[] = {ExitCode::usage,        ExitCode::failed_rows,
                            ExitCode::no_go,        ExitCode::invalid_environment,
                            ExitCode::inconclusive, ExitCode::ok};
  for (int strong = 0; strong < 6; ++strong)
    for (int weak = strong; weak < 6; ++weak) {
      CHECK(stronger(order[strong], order[weak]) == order[strong]);
      CHECK(stronger(order[weak], order[strong]) == order[strong]);
    }
  CHECK(strongest({}) == ExitCode::ok);
  CHECK(strongest({ExitCode::inconclusive, ExitCode::no_go, ExitCode::ok}) == ExitCode::no_go);
}

TEST_CASE("an input error names file, place, fault and remedy", "[core]") {
  const InputError error(
      {"model.onnx.data", "tensor embed", "needs 64 bytes at 0, the file has 10", "Git LFS pointer?"});
  CHECK(std::string(error.what()) ==
        "model.onnx.data: tensor embed: needs 64 bytes at 0, the file has 10 (Git LFS pointer?)");
  CHECK(error.code() == ExitCode::usage);
}
