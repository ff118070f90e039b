#include "harness/record/strict_json.hpp"

#include <nlohmann/json.hpp>
#include <fmt/format.h>

#include <cmath>
#include <unordered_set>
#include <utility>

#include "harness/core/error.hpp"
#include "harness/record/key_path.hpp"

namespace gonogo::record {
namespace {

constexpr std::size_t kDeepest = 100;
constexpr std::int64_t kExactInteger = std::int64_t{1} << 53;

// Where a byte offset lies, as an editor shows it.
std::string line_of(std::string_view text, std::size_t position) {
  const auto before = text.substr(0, std::min(position, text.size()));
  std::size_t line = 1, column = 1;
  for (const char c : before) {
    ++column;
    if (c == '\n') ++line, column = 1;
  }
  return fmt::format("line {}, column {} (byte {})", line, column, position);
}

std::string first_bytes(std::string_view text) {
  return "the file starts with " +
         Json(std::string(text.substr(0, 24))).dump(-1, ' ', true, Json::error_handler_t::replace);
}

// "parse error at line 1, column 5: syntax error ... - invalid literal" -> "invalid literal..."
std::string reason_in(std::string_view message) {
  for (const std::string_view mark : {" - ", ": ", "] "})
    if (const auto at = message.find(mark); at != std::string_view::npos)
      return std::string(message.substr(at + mark.size()));
  return std::string(message);
}

bool is_integer_token(std::string_view token) { return token.find_first_of(".eE") == std::string_view::npos; }
bool has_nonzero_digit(std::string_view token) {
  return token.substr(0, token.find_first_of("eE")).find_first_of("123456789") != std::string_view::npos;
}

// Builds the document while it knows, at every value, the path that leads there.
class StrictBuilder : public nlohmann::json_sax<Json> {
 public:
  StrictBuilder(std::string_view text, const std::string& file) : text_(text), file_(file) {}
  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool number_float(number_float_t value, const string_t& token) override {
    if (is_integer_token(token)) fail(token + " exceeds a 64-bit integer", "write it as a string");
    if (value == 0 && has_nonzero_digit(token))
      fail(token + " is too small for a double", "write 0 or a larger number");
    return add(value);
  }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    path_.back() = PathPart(name);
    if (!keys_.back().insert(name).second) fail("the key is given twice", "keep one of them");
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    std::string place = line_of(text_, position);
    if (const auto path = to_string(path_); !path.empty()) place += " at " + path;
    throw core::InputError({file_, place, reason_in(error.what()), first_bytes(text_)});
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw core::InputError({file_, to_string(path_), what, remedy});
  }
  bool open(Json container) {
    if (open_.size() >= kDeepest) fail(fmt::format("nested deeper than {}", kDeepest), "");
    open_.push_back(std::move(container));
    keys_.emplace_back();
    path_.emplace_back(open_.back().is_array() ? PathPart(std::size_t{0}) : PathPart(std::string()));
    return true;
  }
  bool close() {
    Json done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    path_.pop_back();
    return add(std::move(done));
  }
  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().is_array()) {
      open_.back().push_back(std::move(value));
      path_.back() = PathPart(open_.back().size());
    } else {
      // The key is known to be new: skip the linear look-up of ordered_json.
      auto& members = open_.back().get_ref<Json::object_t&>();
      static_cast<Json::object_t::Container&>(members).emplace_back(std::get<std::string>(path_.back()),
                                                                    std::move(value));
    }
    return true;
  }

  std::string_view text_;
  const std::string& file_;
  Json root_;
  std::vector<Json> open_;
  std::vector<std::unordered_set<std::string>> keys_;
  KeyPath path_;
};

bool beyond_exact(const Json& integer) {
  if (integer.is_number_unsigned()) return integer.get<std::uint64_t>() > static_cast<std::uint64_t>(kExactInteger);
  return integer.get<std::int64_t>() > kExactInteger || integer.get<std::int64_t>() < -kExactInteger;
}

void make_strict_at(Json& value, KeyPath& path, std::vector<std::string>& undefined) {
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {
    value = nullptr;
    undefined.push_back(to_string(path));
  } else if (value.is_number_integer() && beyond_exact(value)) {
    value = value.dump();
  } else if (value.is_object()) {
    for (auto& [key, child] : value.items()) {
      path.emplace_back(key);
      make_strict_at(child, path, undefined);
      path.pop_back();
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      path.emplace_back(i);
      make_strict_at(value[i], path, undefined);
      path.pop_back();
    }
  }
}

}  // namespace

Json parse_strict(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw core::InputError({file, "", fmt::format("the file is empty ({} bytes)", text.size()), ""});
  if (text.substr(0, 3) == "\xEF\xBB\xBF")
    throw core::InputError({file, "byte 0", "the file starts with a byte order mark", "save it as UTF-8 without one"});
  StrictBuilder builder(text, file);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

std::vector<std::string> make_strict(Json& document) {
  KeyPath path;
  std::vector<std::string> undefined;
  make_strict_at(document, path, undefined);
  return undefined;
}

std::string dump_strict(Json document, std::vector<std::string>* undefined) {
  auto paths = make_strict(document);
  if (undefined != nullptr) undefined->insert(undefined->end(), paths.begin(), paths.end());
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gonogo::record
