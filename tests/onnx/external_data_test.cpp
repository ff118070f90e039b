#include <cstring>
#include <fstream>

#include "engine/onnx/model.hpp"
#include "tests/catch.hpp"
#include "tests/onnx/proto_builder.hpp"

namespace gonogo::tests {
namespace {

namespace fs = std::filesystem;

const std::string kValues = raw_bytes<float>({1.5F, -2.0F});

float second_value(const fs::path& file) { return onnx::load(file).initializers.at(0).tensor.as<float>()[1]; }

/// Runs a block in another working directory.
class In {
 public:
  explicit In(const fs::path& folder) : before_(fs::current_path()) { fs::current_path(folder); }
  ~In() { fs::current_path(before_); }
  In(const In&) = delete;
  In& operator=(const In&) = delete;

 private:
  fs::path before_;
};

TEST_CASE("external data is mapped from the file its location names") {
  const TempFolder folder;
  folder.write("weights.bin", "xxxx" + kValues + "yy");
  const auto file = folder.write("model.onnx", small_external_model("weights.bin", "4", "8").bytes());
  CHECK(second_value(file) == -2.0F);
}

TEST_CASE("an absent offset is 0 and an absent length is computed") {
  const TempFolder folder;
  folder.write("w", kValues + "rest");
  CHECK(second_value(folder.write("model.onnx", small_external_model("w").bytes())) == -2.0F);
  CHECK(second_value(folder.write("model.onnx", small_external_model("./w").bytes())) == -2.0F);
}

TEST_CASE("unaligned offsets are read right") {
  const TempFolder folder;
  folder.write("w", "abc" + kValues);
  const auto model = onnx::load(folder.write("model.onnx", small_external_model("w", "3").bytes()));
  const core::Tensor& tensor = model.initializers.at(0).tensor;
  CHECK(reinterpret_cast<std::uintptr_t>(tensor.data) % alignof(float) == 0);
  CHECK(tensor.as<float>()[0] == 1.5F);
  CHECK(tensor.as<float>()[1] == -2.0F);
}

TEST_CASE("offsets and lengths that are no decimal uint64 are refused") {
  const TempFolder folder;
  folder.write("w", kValues);
  for (const std::string bad : {"-1", "0x10", "+4", " 4", "4 ", "18446744073709551616", "1e3", "four"}) {
    CAPTURE(bad);
    CHECK(contains(load_error(folder.write("model.onnx", small_external_model("w", bad).bytes())),
                   "offset: wanted a decimal byte count"));
    CHECK(contains(load_error(folder.write("model.onnx", small_external_model("w", "", bad).bytes())),
                   "length: wanted a decimal byte count"));
  }
}

TEST_CASE("a length other than the computed size is refused, with both numbers") {
  const TempFolder folder;
  folder.write("w", kValues + kValues);
  for (const std::string length : {"4", "12"}) {
    const std::string error = load_error(folder.write("model.onnx", small_external_model("w", "", length).bytes()));
    CHECK(contains(error, "tensor w"));
    CHECK(contains(error, "wanted 8 bytes"));
    CHECK(contains(error, "got " + length));
  }
}

TEST_CASE("truncated, empty, missing and foreign data files are named with real size and needed size") {
  const TempFolder folder;
  const auto error_with = [&](const std::string& data, const std::string& offset) {
    folder.write("w", data);
    return load_error(folder.write("model.onnx", small_external_model("w", offset).bytes()));
  };
  const std::string cut = error_with(kValues.substr(0, 7), "");
  CHECK(contains(cut, "of 7 bytes: wanted 8 bytes at offset 0"));
  CHECK(contains(cut, "tensor w"));
  CHECK(contains(cut, "cut short"));
  CHECK(contains(error_with("", ""), "the file is empty"));
  CHECK(contains(error_with(kValues, "1"), "wanted 8 bytes at offset 1"));
  CHECK(contains(error_with(kValues, "18446744073709551615"), "wanted 8 bytes at offset 18446744073709551615"));
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 52428800\n";
  CHECK(contains(error_with(pointer, "4096"), "Git LFS pointer"));
  CHECK(contains(error_with(pointer, "4096"), "git lfs pull"));
  fs::remove(folder.path() / "w");
  CHECK(contains(load_error(folder.path() / "model.onnx"), "No such file"));
}

TEST_CASE("a data file that is a folder or a pipe is refused") {
  const TempFolder folder;
  fs::create_directory(folder.path() / "w");
  CHECK(contains(load_error(folder.write("model.onnx", small_external_model("w").bytes())), "is a directory"));
}

TEST_CASE("offsets beyond 2 and 4 GiB are read right") {
  const TempFolder folder;
  for (const std::uint64_t offset : {(std::uint64_t{1} << 31) + 8, (std::uint64_t{1} << 32) + 16}) {
    const auto data = folder.write("w", "");
    {
      std::ofstream stream(data, std::ios::binary);  // sparse
      stream.seekp(static_cast<std::streamoff>(offset));
      stream.write(kValues.data(), static_cast<std::streamsize>(kValues.size()));
    }
    CHECK(second_value(folder.write("model.onnx", small_external_model("w", std::to_string(offset)).bytes())) == -2.0F);
    fs::remove(data);
  }
}

TEST_CASE("locations that leave the model's folder are refused, and those that come back in are not") {
  const TempFolder folder;
  folder.write("inside/w", kValues);
  folder.write("outside", kValues);
  folder.write("insider/w", kValues);
  const auto error_with = [&](const std::string& location) {
    return load_error(folder.write("inside/model.onnx", small_external_model(location).bytes()));
  };
  CHECK(contains(error_with((folder.path() / "inside/w").string()), "is absolute"));
  CHECK(contains(error_with("../outside"), "leaves the model's folder"));
  CHECK(contains(error_with("../insider/w"), "leaves the model's folder"));
  CHECK(contains(error_with("sub/../../outside"), "leaves the model's folder"));
  CHECK(error_with("../inside/w").empty());
  CHECK(contains(error_with(""), "without a location"));
}

TEST_CASE("a link to a file outside is refused, a link to one inside is followed") {
  const TempFolder folder;
  folder.write("outside", kValues);
  folder.write("inside/real", kValues);
  const auto file = folder.write("inside/model.onnx", small_external_model("w").bytes());
  fs::create_symlink("../outside", folder.path() / "inside/w");
  CHECK(contains(load_error(file), "is a link to"));
  CHECK(contains(load_error(file), "outside the model's folder"));
  fs::remove(folder.path() / "inside/w");
  fs::create_symlink("real", folder.path() / "inside/w");
  CHECK(second_value(file) == -2.0F);
}

TEST_CASE("the layout of a download cache, model and data both links into one blob folder, loads") {
  const TempFolder folder;
  folder.write("blobs/aaa", small_external_model("model.onnx_data").bytes());
  folder.write("blobs/bbb", kValues);
  folder.write("elsewhere/ccc", kValues);
  fs::create_directories(folder.path() / "snapshots/rev");
  const fs::path model = folder.path() / "snapshots/rev/model.onnx";
  const fs::path data = folder.path() / "snapshots/rev/model.onnx_data";
  fs::create_symlink("../../blobs/aaa", model);
  fs::create_symlink("../../blobs/bbb", data);
  CHECK(second_value(model) == -2.0F);
  // The rule is the common blob folder, not that links are free.
  fs::remove(data);
  fs::create_symlink("../../elsewhere/ccc", data);
  CHECK(contains(load_error(model), "outside the model's folder"));
}

TEST_CASE("data is looked for beside the model, whatever the working directory and however the model is named") {
  const TempFolder folder;
  folder.write("m/w", kValues);
  const auto file = folder.write("m/model.onnx", small_external_model("w").bytes());
  {
    const In there(folder.path() / "m");
    CHECK(second_value("model.onnx") == -2.0F);
    CHECK(second_value("./model.onnx") == -2.0F);
  }
  const In above(folder.path());
  CHECK(second_value("m/model.onnx") == -2.0F);
  CHECK(second_value(file) == -2.0F);
}

TEST_CASE("ranges may come in any order and be shared whole, but not overlap") {
  const TempFolder folder;
  folder.write("w", kValues + kValues);
  const auto error_with = [&](const std::string& first, const std::string& second, const Dims& dims) {
    ModelBuilder builder;
    builder.input("x", 1, {"2"}).output("y", 1, {"2"}).external("a", {2}, "w", first).external("b", dims, "w", second);
    builder.node("Add", {"x", "a"}, {"y"});
    return load_error(folder.write("model.onnx", builder.bytes()));
  };
  CHECK(error_with("8", "0", {2}).empty());
  CHECK(error_with("4", "4", {2}).empty());
  const std::string error = error_with("0", "4", {2});
  CHECK(contains(error, "overlaps"));
  CHECK(contains(error, "tensor a"));
  CHECK(contains(error, "tensor b"));
  CHECK(contains(error_with("0", "0", {1}), "overlaps"));
}

TEST_CASE("an unknown external data key is refused, a checksum is not") {
  const TempFolder folder;
  folder.write("w", kValues);
  const auto error_with = [&](const std::string& key) {
    ModelBuilder builder = small_external_model("w");
    auto* pair = builder.proto().mutable_graph()->mutable_initializer(0)->add_external_data();
    pair->set_key(key);
    pair->set_value("da39a3");
    return load_error(folder.write("model.onnx", builder.bytes()));
  };
  CHECK(error_with("checksum").empty());
  CHECK(contains(error_with("compression"), "key \"compression\" is not known"));
}

TEST_CASE("4-bit external data takes half a byte an element, rounded up over the whole tensor") {
  const TempFolder folder;
  folder.write("w", std::string(8, '\x21'));
  ModelBuilder builder = small_external_model("w", "", "8");
  auto* tensor = builder.proto().mutable_graph()->mutable_initializer(0);
  tensor->set_data_type(21);
  tensor->clear_dims();
  tensor->add_dims(3);
  tensor->add_dims(5);
  CHECK(onnx::load(folder.write("model.onnx", builder.bytes())).initializers.at(0).tensor.bytes() == 8);
}

}  // namespace
}  // namespace gonogo::tests
