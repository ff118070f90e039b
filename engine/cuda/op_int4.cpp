// MatMulNBits. `before`: a warp per column for one row, 16x16 tiles on the CUDA cores for more, the activations padded
// to whole tiles in a buffer allocated per call. With the lever gemm: the tensor-core kernel where it is eligible.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "engine/cuda/lower.hpp"
#include "harness/core/cuda/copy.hpp"
#include "harness/core/cuda/memory.hpp"
#include "kernels/int4_matmul/cuda/gemv.hpp"
#include "kernels/int4_matmul/cuda/mma.hpp"
#include "kernels/int4_matmul/cuda/tiled.hpp"

namespace gonogo::engine::cuda {
namespace {

namespace int4 = kernels::int4_matmul::cuda;

enum Input : std::size_t { kX, kCodes, kScales, kZeroPoints, kGroup, kBias };
constexpr std::int64_t kTileRows = 16;

int4::Args args_of(const DeviceCall& call) {
  const auto data = [&](std::size_t i) { return i < call.inputs.size() ? call.inputs[i].data : nullptr; };
  int4::Args args;
  args.x = data(kX);
  args.codes = reinterpret_cast<const std::uint8_t*>(data(kCodes));
  args.scales = data(kScales);
  args.zero_points = data(kZeroPoints);
  args.bias = data(kBias);
  args.y = call.outputs[0].data;
  return args;
}

/// Reads ONNX's layout.
class PortableOp final : public DeviceOp {
 public:
  PortableOp(const int4::Problem& problem, bool padded) : problem_(problem), padded_(padded) {}

  std::string kernel() const override {
    return fmt::format("int4_matmul.{}{}", problem_.m == 1 ? "gemv" : "tiled", padded_ ? ".padded" : "");
  }
  core::Eligibility capture() const override {
    if (padded_) return core::refuse("workspace", "from the plan", "allocated per call");
    return core::accept();
  }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    int4::Args args = args_of(call);
    if (problem_.m == 1) return int4::gemv(problem_, args, stream);
    if (!padded_) return int4::tiled(problem_, args, stream);
    const core::Tensor& x = call.inputs[kX];
    const std::int64_t rows = (problem_.m + kTileRows - 1) / kTileRows * kTileRows;
    const core::DeviceBuffer padded(core::bytes_of(x.dtype, rows * problem_.k), stream);
    core::copy_on_device(padded.data(), x.data, x.bytes(), stream);
    core::fill_bytes(padded.data() + x.bytes(), 0, padded.size() - x.bytes(), stream);
    args.x = padded.data();
    int4::tiled(problem_, args, stream);
  }

 private:
  int4::Problem problem_;
  bool padded_;
};

/// Packs codes, scales and zero points once; they are not held in ONNX's layout.
class MmaOp final : public DeviceOp {
 public:
  MmaOp(const int4::Problem& problem, const LowerRequest& request) : problem_(problem), overlap_(request.overlap()) {
    for (const std::size_t i : {kCodes, kScales, kZeroPoints}) {
      const ops::ValueFacts fact = request.input(i);
      if (fact.present) host_[i] = {fact.constant, core::bytes_of(fact.dtype, core::count_of(fact.shape))};
    }
  }

  std::string kernel() const override {
    const int4::MmaPlan plan = int4::mma_plan(problem_);
    return fmt::format("int4_matmul.mma{}{}", plan.wide ? ".wide" : "",
                       plan.grid_split > 1 ? fmt::format(".split{}", plan.grid_split) : "");
  }
  std::size_t state_bytes() const override { return int4::mma_workspace_bytes(problem_); }
  bool takes(std::size_t input) const override { return input == kCodes || input == kScales || input == kZeroPoints; }
  void prepare(WeightLease& weights) override {
    const std::string layout = fmt::format("mma {}x{} b{} {}", problem_.n, problem_.k, problem_.block_size,
                                           host_[kZeroPoints].data != nullptr ? "zero points" : "symmetric");
    const auto pack = [&](core::DeviceBuffer& to, core::StreamRef stream) {
      std::optional<core::DeviceBuffer> staged[kGroup];
      int4::Args args;
      const auto stage = [&](std::size_t i) -> const std::byte* {
        if (host_[i].data == nullptr) return nullptr;
        return staged[i].emplace(weights.stage(host_[i].data, host_[i].bytes)).data();
      };
      args.codes = reinterpret_cast<const std::uint8_t*>(stage(kCodes));
      args.scales = stage(kScales);
      args.zero_points = stage(kZeroPoints);
      int4::mma_pack(problem_, args, to.data(), stream);
      stream.synchronize();  // the staged bytes are freed now
    };
    packed_ = weights.packed(host_[kCodes].data, layout, int4::mma_layout(problem_).bytes, pack);
  }
  void run(const DeviceCall& call, core::StreamRef stream) override {
    const int4::Args plain = args_of(call);
    int4::mma(problem_, {.x = plain.x, .packed = packed_, .bias = plain.bias, .y = plain.y, .workspace = call.state},
              overlap_, stream);
  }

 private:
  struct HostBytes {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  int4::Problem problem_;
  kernels::Overlap overlap_;
  HostBytes host_[kGroup];
  const std::byte* packed_ = nullptr;
};

int4::Problem problem_of(const LowerRequest& r) {
  int4::Problem p;
  p.n = r.integer("N", 0);
  p.k = r.integer("K", 0);
  p.m = core::count_of(r.input(kX).shape) / p.k;
  p.bits = static_cast<int>(r.integer("bits", 4));
  p.block_size = r.integer("block_size", 128);
  p.type = r.input(kX).dtype;
  if (r.has(kZeroPoints))
    p.zero_points = r.input(kZeroPoints).dtype == core::DType::u8 ? int4::ZeroPoints::packed : int4::ZeroPoints::typed;
  p.bias = r.has(kBias);
  return p;
}

}  // namespace

DeviceOpPtr lower_matmul_nbits(const LowerRequest& r) {
  if (r.has(kGroup)) r.refuse({"input g_idx", "absent", "present"});
  const int4::Problem p = problem_of(r);
  r.want(int4::eligible(p));
  const bool fast = r.stack.has("gemm") && (r.role != NodeRole::lm_head || r.stack.has("lm_head"));
  const bool constant = r.input(kCodes).constant != nullptr && r.input(kScales).constant != nullptr;
  if (fast && constant && int4::mma_eligible(p)) return std::make_unique<MmaOp>(p, r);
  return std::make_unique<PortableOp>(p, !fast && p.m > 1);
}

}  // namespace gonogo::engine::cuda
