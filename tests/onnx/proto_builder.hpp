// Small ONNX files written by the tests themselves, and what it takes to look at their refusals.
#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gonogo::tests {

/// A folder of its own under the temporary directory, removed at the end.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Writes a file in it, folders on the way included.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view bytes) const;

 private:
  std::filesystem::path path_;
};

using Dims = std::vector<std::int64_t>;

/// The bytes of values, as raw_data holds them.
template <class T>
[[nodiscard]] std::string raw_bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A model with opsets {"": 21, "com.microsoft": 1}, filled in by the calls below.
class ModelBuilder {
 public:
  ModelBuilder();
  ModelBuilder& input(const std::string& name, std::int32_t type, const std::vector<std::string>& dims);
  ModelBuilder& output(const std::string& name, std::int32_t type, const std::vector<std::string>& dims);
  ::onnx::TensorProto& initializer(const std::string& name, std::int32_t type, const Dims& dims);
  ModelBuilder& floats(const std::string& name, const Dims& dims, const std::vector<float>& values);
  ModelBuilder& integers(const std::string& name, const Dims& dims, const std::vector<std::int64_t>& values);
  /// An initialiser in `location`; an empty offset or length is left out.
  ModelBuilder& external(const std::string& name, const Dims& dims, const std::string& location,
                         const std::string& offset = "", const std::string& length = "");
  ::onnx::NodeProto& node(const std::string& op_type, const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs, const std::string& domain = "");
  [[nodiscard]] ::onnx::ModelProto& proto() { return proto_; }
  [[nodiscard]] std::string bytes() const { return proto_.SerializeAsString(); }

 private:
  ::onnx::ModelProto proto_;
};

void set_integer(::onnx::NodeProto& node, const std::string& name, std::int64_t value);
void set_integers(::onnx::NodeProto& node, const std::string& name, const std::vector<std::int64_t>& values);

/// One float input x[2], one initialiser w[2], one node Add, one output y[2].
[[nodiscard]] ModelBuilder small_model();
/// The same with w outside, in `location`.
[[nodiscard]] ModelBuilder small_external_model(const std::string& location, const std::string& offset = "",
                                                const std::string& length = "");

/// The message of the core::InputError that loading the file throws; empty when it loads. Other exceptions pass
/// through.
[[nodiscard]] std::string load_error(const std::filesystem::path& file);
[[nodiscard]] bool contains(const std::string& text, std::string_view part);

}  // namespace gonogo::tests
