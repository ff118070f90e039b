// Curves as text: a bar per row, a sparkline per series.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace gonogo::reports {

/// A horizontal bar of value / largest of `width` columns in eighths; a value above zero shows at least one eighth.
/// Empty for a value or largest that is not positive and finite; a value above the largest fills the bar.
[[nodiscard]] std::string bar(double value, double largest, std::size_t width = 20);

/// One block character a value, from the lowest to the highest of them; a blank where there is none or it is not
/// finite. Equal values are drawn in the middle.
[[nodiscard]] std::string sparkline(std::span<const std::optional<double>> values);

}  // namespace gonogo::reports
