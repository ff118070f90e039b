#include "tools/pieces.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/core/error.hpp"

namespace gonogo::tools {
namespace {

using Json = nlohmann::json;
constexpr std::string_view kSpace = "\xe2\x96\x81";  // U+2581

std::vector<std::string> from_json(const std::string& text, const std::filesystem::path& file) {
  std::vector<std::string> pieces;
  try {
    for (const Json& entry : Json::parse(text))
      pieces.push_back((entry.is_array() ? entry.at(0) : entry).get<std::string>());
  } catch (const Json::exception& error) {
    throw core::InputError({file.string(), "", error.what(), "a list of pieces, or of [piece, score], is wanted"});
  }
  return pieces;
}

std::vector<std::string> from_lines(const std::string& text) {
  std::vector<std::string> pieces;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) pieces.push_back(line.substr(0, line.find('\t')));
  return pieces;
}

bool is_control(std::string_view piece) {
  const auto first = piece.find_first_not_of('\n');
  if (first == std::string_view::npos) return false;
  piece = piece.substr(first, piece.find_last_not_of('\n') - first + 1);
  return piece == "<unk>" || piece == "<s>" || piece == "</s>";
}

std::string spoken(const std::string& piece) {
  if (is_control(piece)) return "";
  if (piece.size() == 6 && piece.starts_with("<0x") && piece.back() == '>')
    return std::string(1, static_cast<char>(std::strtol(piece.substr(3, 2).c_str(), nullptr, 16)));
  std::string text = piece;
  for (std::size_t at = text.find(kSpace); at != std::string::npos; at = text.find(kSpace, at))
    text.replace(at, kSpace.size(), " ");
  return text;
}

}  // namespace

std::vector<std::string> read_pieces(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw core::InputError({file.string(), "", "cannot be read", "name a list of pieces"});
  const auto first = text.find_first_not_of(" \t\r\n");
  std::vector<std::string> pieces =
      first != std::string::npos && text[first] == '[' ? from_json(text, file) : from_lines(text);
  if (pieces.empty()) throw core::InputError({file.string(), "", "holds no piece", "name a list of pieces"});
  return pieces;
}

std::string text_of(std::span<const std::int64_t> ids, const std::vector<std::string>& pieces) {
  std::string text;
  for (const std::int64_t id : ids) {
    if (id < 0 || id >= static_cast<std::int64_t>(pieces.size()))
      throw core::InputError({"", fmt::format("id {}", id),
                              fmt::format("the list of pieces holds ids 0 to {}", pieces.size() - 1),
                              "name the model's own list"});
    text += spoken(pieces[static_cast<std::size_t>(id)]);
  }
  return text;
}

}  // namespace gonogo::tools
