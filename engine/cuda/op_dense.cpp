// Dense matmul, lm_head above all. `before`: cuBLASLt asked for an algorithm and given a workspace on every call. With
// the lever lm_head: the tensor-core kernel for few rows where it is eligible, else a cuBLASLt plan made once.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "engine/cuda/lower.hpp"
#include "harness/core/cuda/memory.hpp"
#include "kernels/matmul/cuda/cublaslt.hpp"
#include "kernels/matmul/cuda/dense.hpp"
#include "kernels/matmul/cuda/transpose.hpp"

namespace gonogo::engine::cuda {
namespace {

namespace dense = kernels::matmul::cuda;

/// Rows up to which one read of the weights by the tensor-core kernel beats the library.
constexpr std::int64_t kMostMmaRows = 16;

enum class Way { transient, planned, mma };

class DenseOp final : public DeviceOp {
 public:
  DenseOp(const dense::Problem& problem, Way way, const LowerRequest& request, bool stored_nk)
      : problem_(problem),
        way_(way),
        overlap_(request.overlap()),
        host_(request.input(1).constant),
        stored_nk_(stored_nk) {}

  std::string kernel() const override {
    return way_ == Way::mma ? "matmul.mma" : way_ == Way::planned ? "matmul.cublaslt.planned" : "matmul.cublaslt";
  }
  core::Eligibility capture() const override {
    if (way_ == Way::transient) return core::refuse("workspace and algorithm", "from the plan", "found per call");
    return core::accept();
  }
  bool takes(std::size_t input) const override { return input == 1; }

  void prepare(WeightLease& weights) override {
    const std::size_t bytes = core::bytes_of(problem_.type, problem_.n * problem_.k);
    if (stored_nk_) {
      weights_ = weights.upload(host_, bytes);
    } else {
      weights_ = weights.packed(host_, fmt::format("transposed {}x{}", problem_.k, problem_.n), bytes,
                                [&](core::DeviceBuffer& to, core::StreamRef stream) {
                                  const core::DeviceBuffer staged = weights.stage(host_, bytes);
                                  dense::transpose(problem_, staged.data(), to.data(), stream);
                                  stream.synchronize();  // the staged bytes are freed now
                                });
    }
    if (way_ == Way::mma) return;
    library_.emplace();
    if (way_ == Way::transient) return;
    plan_.emplace(*library_, problem_);
    if (plan_->workspace_bytes() > 0) workspace_ = core::DeviceBuffer(plan_->workspace_bytes());
  }

  void run(const DeviceCall& call, core::StreamRef stream) override {
    const dense::Args args{.x = call.inputs[0].data, .w = weights_, .y = call.outputs[0].data, .overlap = overlap_};
    switch (way_) {
      case Way::mma:
        return dense::mma(problem_, args, stream);
      case Way::planned:
        return plan_->run(args, workspace_.data(), stream);
      case Way::transient:
        return library_->run_transient(problem_, args, stream);
    }
  }

 private:
  dense::Problem problem_;
  Way way_;
  kernels::Overlap overlap_;
  const std::byte* host_;
  bool stored_nk_;
  const std::byte* weights_ = nullptr;
  std::optional<dense::Lt> library_;
  std::optional<dense::LtPlan> plan_;
  core::DeviceBuffer workspace_;
};

}  // namespace

DeviceOpPtr lower_matmul(const LowerRequest& r) {
  const ops::ValueFacts x = r.input(0);
  const ops::ValueFacts w = r.input(1);
  if (w.constant == nullptr || w.shape.size() != 2)
    r.refuse({"right operand", "a constant matrix", core::to_string(w.shape)});
  const bool stored_nk = r.node.op_type == "FusedMatMul" && r.integer("transB", 0) == 1;
  dense::Problem p;
  p.n = w.shape[stored_nk ? 0 : 1];
  p.k = w.shape[stored_nk ? 1 : 0];
  p.m = core::count_of(x.shape) / p.k;
  p.type = x.dtype;
  p.output = r.outputs[0].dtype;
  if (w.dtype != x.dtype)
    r.refuse({"type of the right operand", std::string(core::name_of(x.dtype)), std::string(core::name_of(w.dtype))});
  r.want(dense::eligible(p));
  const bool fast = r.stack.has(r.role == NodeRole::lm_head ? "lm_head" : "gemm");
  Way way = Way::transient;
  if (fast) way = p.m <= kMostMmaRows && dense::mma_eligible(p) ? Way::mma : Way::planned;
  return std::make_unique<DenseOp>(p, way, r, stored_nk);
}

}  // namespace gonogo::engine::cuda
