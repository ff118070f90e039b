// Members of a JSON object read with their type checked; an error names file and key path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/key_path.hpp"
#include "harness/record/json.hpp"

namespace gonogo::reports {

using record::Json;

/// A view of one JSON value: the document and `file` must outlive it. Every getter throws core::InputError for another
/// type. "Absent" is a key that is missing or null.
class Fields {
 public:
  Fields(const Json& value, const std::string& file, record::KeyPath path = {})
      : value_(&value), file_(&file), path_(std::move(path)) {}

  [[nodiscard]] const Json& json() const { return *value_; }
  [[nodiscard]] const std::string& file() const { return *file_; }
  [[nodiscard]] bool has(const char* key) const;
  [[nodiscard]] std::size_t size() const { return value_->size(); }  // of an array or object

  [[nodiscard]] Fields object(const char* key) const;
  [[nodiscard]] Fields array(const char* key) const;
  [[nodiscard]] Fields item(std::size_t index) const;  // of an array; must be an object

  [[nodiscard]] std::string text(const char* key) const;
  [[nodiscard]] std::string text_or(const char* key, const std::string& fallback) const;
  [[nodiscard]] double number(const char* key) const;
  [[nodiscard]] std::optional<double> number_if(const char* key) const;
  [[nodiscard]] std::optional<std::int64_t> integer_if(const char* key) const;
  [[nodiscard]] bool flag(const char* key) const;  // false when absent
  [[nodiscard]] std::vector<double> numbers(const char* key) const;
  /// Text, number or truth as text; empty when absent.
  [[nodiscard]] std::string shown(const char* key) const;

  [[nodiscard]] std::string place(const std::string& key = "") const;
  [[noreturn]] void fail(const std::string& key, const std::string& what, const std::string& remedy = "") const;

 private:
  [[nodiscard]] const Json& at(const char* key) const;
  [[nodiscard]] const Json* find(const char* key) const;
  [[noreturn]] void mistyped(const char* key, const char* wanted) const;

  const Json* value_;
  const std::string* file_;
  record::KeyPath path_;
};

}  // namespace gonogo::reports
