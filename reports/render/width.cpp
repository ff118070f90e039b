#include "reports/render/width.hpp"

#include <array>
#include <cstdint>

namespace gonogo::reports {
namespace {

struct Range {
  std::uint32_t first, last;
};
// The blocks that matter in tables: marks that join the letter before, and wide ideographs, kana, hangul and emoji.
constexpr std::array<Range, 8> kZero{{{0x0, 0x1F},
                                      {0x7F, 0x9F},
                                      {0x300, 0x36F},
                                      {0x1AB0, 0x1AFF},
                                      {0x200B, 0x200F},
                                      {0x20D0, 0x20FF},
                                      {0xFE00, 0xFE0F},
                                      {0xFE20, 0xFE2F}}};
constexpr std::array<Range, 10> kWide{{{0x1100, 0x115F},
                                       {0x231A, 0x231B},
                                       {0x2705, 0x2705},
                                       {0x274C, 0x274C},
                                       {0x2E80, 0x303E},
                                       {0x3041, 0xA4CF},
                                       {0xAC00, 0xD7A3},
                                       {0xF900, 0xFAFF},
                                       {0xFF00, 0xFF60},
                                       {0x1F300, 0x1FAFF}}};

template <std::size_t N>
bool within(std::uint32_t code, const std::array<Range, N>& ranges) {
  for (const Range& range : ranges)
    if (code >= range.first && code <= range.last) return true;
  return false;
}

// The code point at `at` and the bytes it takes; an invalid byte is one column of its own.
struct Decoded {
  std::uint32_t code;
  std::size_t bytes;
};
Decoded decode(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(at);
  const std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 0x6 ? 2 : lead >> 4 == 0xE ? 3 : lead >> 3 == 0x1E ? 4 : 0;
  if (length == 1) return {lead, 1};
  if (length == 0 || at + length > text.size()) return {0xFFFD, 1};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(at + i) >> 6 != 0x2) return {0xFFFD, 1};
    code = code << 6 | (byte(at + i) & 0x3FU);
  }
  return {code, length};
}

}  // namespace

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < utf8.size();) {
    const Decoded decoded = decode(utf8, at);
    width += within(decoded.code, kZero) ? 0 : within(decoded.code, kWide) ? 2 : 1;
    at += decoded.bytes;
  }
  return width;
}

std::string padded(std::string_view utf8, std::size_t width, Align align) {
  const std::size_t taken = display_width(utf8);
  const std::string blanks(taken < width ? width - taken : 0, ' ');
  return align == Align::left ? std::string(utf8) + blanks : blanks + std::string(utf8);
}

}  // namespace gonogo::reports
