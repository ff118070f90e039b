// What the M-scaling cells say: cliff, tail, B* and roofline share. Definitions: docs/measuring.md, "Numbers".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probes/bandwidth.hpp"
#include "probes/m_scaling.hpp"

namespace gonogo::probes {

/// Slope between two consecutive widths, with the kernels that ran at both ends.
struct Piece {
  std::int64_t from = 0, to = 0;
  double ms_per_row = 0;
  std::vector<engine::StepKernel> from_kernels, to_kernels;
};

/// One mode at one length. Medians; a negative cliff or slope stays negative.
struct Curve {
  engine::Mode mode = engine::Mode::eager;
  Figure cliff_ms;         // wall(2) - wall(1)
  Figure tail_ms_per_row;  // Theil-Sen over M >= 2
  std::vector<Piece> pieces;
};

/// Break-even of a captured verify of width K against the captured width-1 step, never without both absolute times.
struct BStar {
  std::int64_t k = 0;
  Figure replay;                        // gpu(K) / gpu(1)
  Figure verify;                        // (gpu + d2h)(K) / (gpu + d2h)(1)
  Figure decode_gpu_ms, verify_gpu_ms;  // the two absolute times
  Figure decode_share, verify_share;    // of the byte roofline
};

struct LengthFigures {
  std::int64_t past = 0;
  std::int64_t bucket = 0;
  Curve eager, captured;
  std::vector<BStar> bstars;  // one for every K > 1 of the list
};

/// Modelled bytes / (bandwidth x median gpu time), a fraction; unmeasured without a bandwidth or samples.
[[nodiscard]] Figure roofline_share(const Cell& cell, const std::optional<ReadBandwidth>& bandwidth);

/// Marks every cell that claims more than 100 % of the roofline as invalid: its time or its byte model is wrong.
void invalidate_impossible(MScalingResult& result, const std::optional<ReadBandwidth>& bandwidth);

[[nodiscard]] std::vector<LengthFigures> curve_figures(const MScalingResult& result,
                                                       const std::optional<ReadBandwidth>& bandwidth);

[[nodiscard]] record::Json to_json(const MScalingResult& result, const std::optional<ReadBandwidth>& bandwidth);
[[nodiscard]] Metrics metrics(const MScalingResult& result, const std::optional<ReadBandwidth>& bandwidth);
[[nodiscard]] std::vector<record::Row> rows(const MScalingResult& result);

}  // namespace gonogo::probes
