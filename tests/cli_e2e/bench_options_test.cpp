// Wrong options of the benchmark programs: refused before anything is measured or written.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/catch.hpp"
#include "tests/cli_e2e/program.hpp"

using gonogo::tests::Folder;
using gonogo::tests::Ran;
using gonogo::tests::run_program;
namespace fs = std::filesystem;

namespace {

Ran bench(const std::vector<std::string>& arguments) { return run_program("marlin_bench", arguments); }

void refused(const std::vector<std::string>& arguments, const std::string& says, int code = 2) {
  const Ran ran = bench(arguments);
  CAPTURE(arguments, ran.err);
  CHECK(ran.code == code);
  CHECK(ran.out.empty());
  CHECK(ran.err.find(says) != std::string::npos);
}

}  // namespace

TEST_CASE("numbers are read exactly or refused with what was given") {
  refused({"--m-list", "0"}, "0");
  refused({"--m-list", "1,M"}, "M");
  refused({"--m-list", ""}, "m-list");
  refused({"--m-list", "-1"}, "-1");
  refused({"--m-list", "4294967297"}, "4294967297");
  refused({"--iters", "0"}, "iters");
  refused({"--iters", "99999999999999999999"}, "99999999999999999999");
  refused({"--iters", "0x10"}, "0x10");
  refused({"--iters", "10k"}, "10k");
  refused({"--device", "-1"}, "-1");
  refused({"--seed", "-5"}, "-5");
  refused({"--past", "1e3"}, "1e3");
  refused({"--prefill-lens", "64,,128"}, "prefill-lens");
  refused({"--e2e-skip=4-"}, "4-");
}

TEST_CASE("misspelt flags, stray words and unknown names are refused with the nearest match") {
  refused({"--sample=5"}, "sample");
  refused({"stray"}, "stray");
  refused({"--levers", "latst"}, "latest");
  refused({"--levers", "before+gem"}, "gemm");
  refused({"--levers", "before,before"}, "before");
  refused({"--backend", "gpu"}, "gpu");
  refused({"--model", "preset:tinny"}, "tiny");
}

TEST_CASE("a preset is a name and no path") {
  for (const std::string name : {"", "/", "..", "../tiny", "tiny/../tiny", "tiny\n", "TINY"}) {
    CAPTURE(name);
    refused({"--model", "preset:" + name}, "preset");
  }
}

TEST_CASE(
    "a device the cpu backend does not have is a usage error, a backend this build does not have an environment "
    "error") {
  refused({"--backend", "cpu", "--device", "1"}, "device");
  const Ran ran = bench({"--backend", "cuda", "--device", "99"});
  CHECK(ran.code == 5);
  CHECK(ran.out.empty());
  CHECK_FALSE(ran.err.empty());
}

TEST_CASE("an output that could not be written is refused before measuring, with path and reason") {
  const Folder folder;
  refused({"--json", folder.file("none/out.json")}, "none/out.json");
  refused({"--csv", folder.path().string()}, folder.path().string());
  refused({"--md", folder.file("none/out.md")}, "none/out.md");
  refused({"--json", "-", "--md", "-"}, "stdout");
  refused({"--json", folder.file("a"), "--csv", folder.file("a")}, "both");
  if (::geteuid() != 0) {
    ::chmod(folder.path().c_str(), 0500);
    refused({"--json", folder.file("out.json")}, "out.json");
    ::chmod(folder.path().c_str(), 0700);
  }
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("what does not fit the model is refused before measuring, with the numbers") {
  refused({"--past", "4090"}, "4096");
  refused({"--m-list", "5000", "--past", "0"}, "4096");
  refused({"--prefill-lens", "5000"}, "5000");
  refused({"--e2e-tokens", "5000"}, "5000");
}

TEST_CASE("a model that is none is refused by its path") {
  const Folder folder;
  refused({"--model", folder.file("none")}, "none");
  refused({"--model", folder.path().string()}, "model.onnx");
  std::ofstream(folder.file("model.onnx")) << "no protobuf at all, but a text that goes on for a while\n";
  refused({"--model", folder.path().string()}, "model.onnx");
  std::ofstream(folder.file("model.onnx"))
      << "version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 12345\n";
  refused({"--model", folder.path().string()}, "LFS");
}

TEST_CASE("truncated or pointer data beside a sound graph is refused by name") {
  const Folder folder;
  const auto written = run_program("make_model", {"--preset", "tiny", "--layers", "1", "--out", folder.file("model")});
  REQUIRE(written.code == 0);
  const auto data = folder.file("model/model.onnx.data");
  fs::resize_file(data, fs::file_size(data) - 1000);
  refused({"--model", folder.file("model")}, "model.onnx.data");
  std::ofstream(data, std::ios::trunc) << "version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 12345\n";
  refused({"--model", folder.file("model")}, "LFS");
  fs::remove(data);
  refused({"--model", folder.file("model")}, "model.onnx.data");
}

TEST_CASE("--list names presets, stacks, levers and axes; --dry-run measures nothing and writes nothing") {
  const Ran list = bench({"--list"});
  CHECK(list.code == 0);
  for (const char* word : {"glm-4-9b", "tiny", "before", "latest", "gemm", "m_scaling", "prefill"})
    CHECK(list.out.find(word) != std::string::npos);

  const Folder folder;
  const Ran dry = bench({"--dry-run", "--json", folder.file("out.json"), "--iters", "7"});
  CHECK(dry.code == 0);
  CHECK(dry.out.find("forwards") != std::string::npos);
  CHECK(dry.out.find("m_scaling") != std::string::npos);
  CHECK(fs::is_empty(folder.path()));
  refused({"--dry-run", "--past", "4090"}, "4096");
}
