#include "probes/m_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace gonogo::probes {
namespace {

using engine::Mode;
using record::Status;

Figure median(const Cell* cell, Part part) {
  if (cell == nullptr) return Figure::none(Status::unmeasured, "not in the list");
  if (cell->status != Status::ok) return Figure::none(cell->status, cell->reason);
  const auto value = summarize(cell->samples, part).median;
  return value ? Figure::of(*value) : Figure::none(Status::unmeasured, "no samples");
}

// a op b, or the reason why one of them is missing.
template <class Op>
Figure combine(const Figure& a, const Figure& b, Op op) {
  if (!a.value) return a;
  if (!b.value) return b;
  return op(*a.value, *b.value);
}

Figure ratio(const Figure& a, const Figure& b) {
  return combine(a, b, [](double x, double y) {
    return y > 0 ? Figure::of(x / y) : Figure::none(Status::invalid, "too fast to compare: the width-1 time is 0");
  });
}

std::vector<const Cell*> cells_of(const MScalingResult& result, std::int64_t past, Mode mode) {
  std::vector<const Cell*> cells;
  for (const auto& cell : result.cells)
    if (cell.past == past && cell.mode == mode) cells.push_back(&cell);
  return cells;
}

Figure tail(const std::vector<const Cell*>& cells) {
  std::vector<double> widths, walls;
  for (const Cell* cell : cells) {
    if (cell->m < 2) continue;
    const Figure wall = median(cell, Part::wall);
    if (!wall.value) return wall;
    widths.push_back(static_cast<double>(cell->m));
    walls.push_back(*wall.value);
  }
  const auto slope = stats::theil_sen_slope(widths, walls);
  return slope ? Figure::of(*slope) : Figure::none(Status::unmeasured, "fewer than two widths M >= 2");
}

Curve curve(const MScalingResult& result, std::int64_t past, Mode mode) {
  Curve curve;
  curve.mode = mode;
  const auto cells = cells_of(result, past, mode);
  curve.cliff_ms =
      combine(median(result.find(2, past, mode), Part::wall), median(result.find(1, past, mode), Part::wall),
              [](double two, double one) { return Figure::of(two - one); });
  curve.tail_ms_per_row = tail(cells);
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const Figure from = median(cells[i - 1], Part::wall);
    const Figure to = median(cells[i], Part::wall);
    if (!from.value || !to.value) continue;
    const auto rows = static_cast<double>(cells[i]->m - cells[i - 1]->m);
    curve.pieces.push_back(
        {cells[i - 1]->m, cells[i]->m, (*to.value - *from.value) / rows, cells[i - 1]->kernels, cells[i]->kernels});
  }
  return curve;
}

BStar bstar(const MScalingResult& result, const Cell& wide, const std::optional<ReadBandwidth>& bandwidth) {
  const Cell* one = result.find(1, wide.past, Mode::captured);
  BStar b;
  b.k = wide.m;
  b.decode_gpu_ms = median(one, Part::gpu);
  b.verify_gpu_ms = median(&wide, Part::gpu);
  b.replay = ratio(b.verify_gpu_ms, b.decode_gpu_ms);
  b.verify = ratio(median(&wide, Part::verify), median(one, Part::verify));
  b.decode_share =
      one == nullptr ? Figure::none(Status::unmeasured, "M = 1 is not in the list") : roofline_share(*one, bandwidth);
  b.verify_share = roofline_share(wide, bandwidth);
  return b;
}

}  // namespace

Figure roofline_share(const Cell& cell, const std::optional<ReadBandwidth>& bandwidth) {
  if (!bandwidth) return Figure::none(Status::unmeasured, "the read bandwidth of this device was not measured");
  return combine(median(&cell, Part::gpu), Figure::of(bandwidth->bytes_per_second), [&](double gpu_ms, double rate) {
    if (gpu_ms <= 0) return Figure::none(Status::invalid, "too fast to compare: the gpu time is 0");
    return Figure::of(static_cast<double>(cell.work.bytes()) / (rate * gpu_ms * 1e-3));
  });
}

void invalidate_impossible(MScalingResult& result, const std::optional<ReadBandwidth>& bandwidth) {
  for (auto& cell : result.cells) {
    const Figure share = roofline_share(cell, bandwidth);
    if (!share.value || *share.value <= 1) continue;
    cell.status = Status::invalid;
    cell.reason = fmt::format("{:.0f} % of the byte roofline: above 100 % the time or the byte model is wrong",
                              *share.value * 100);
  }
}

std::vector<LengthFigures> curve_figures(const MScalingResult& result, const std::optional<ReadBandwidth>& bandwidth) {
  std::set<std::int64_t> pasts;
  for (const auto& cell : result.cells) pasts.insert(cell.past);
  std::vector<LengthFigures> lengths;
  for (const std::int64_t past : pasts) {
    LengthFigures figures{past, 0, curve(result, past, Mode::eager), curve(result, past, Mode::captured), {}};
    for (const Cell* cell : cells_of(result, past, Mode::captured)) {
      figures.bucket = cell->bucket;
      if (cell->m > 1) figures.bstars.push_back(bstar(result, *cell, bandwidth));
    }
    lengths.push_back(std::move(figures));
  }
  return lengths;
}

}  // namespace gonogo::probes
