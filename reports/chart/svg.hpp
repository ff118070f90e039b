// What the charts share: the frame of an <svg>, axes with round ticks, text that is cut to a width.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gonogo::reports::chart {

inline constexpr double kWidth = 380;

/// <svg ...> with title and viewBox around `body`.
[[nodiscard]] std::string framed(const std::string& title, double height, const std::string& body);

/// Class, position, text; `anchor` is start, middle or end.
[[nodiscard]] std::string text_at(std::string_view classes, double x, double y, std::string_view anchor,
                                  const std::string& text);

/// 0 or below up to at least `high`, in steps of 1, 2 or 5 times a power of ten, about `wanted` of them.
[[nodiscard]] std::vector<double> round_ticks(double low, double high, int wanted);

/// Estimated width in pixels at font size 12.
[[nodiscard]] double text_width(std::string_view text);
/// Cut with an ellipsis where it is wider than `width`.
[[nodiscard]] std::string cut(const std::string& text, double width);

}  // namespace gonogo::reports::chart
