// MatMul as numpy multiplies: constant or run-time right side, leading dimensions broadcast; com.microsoft.FusedMatMul
// for a right side that lies transposed.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ops/attributes.hpp"
#include "engine/ops/float_io.hpp"
#include "engine/ops/linear.hpp"
#include "harness/core/error.hpp"
#include "kernels/matmul/problem.hpp"

namespace gonogo::ops {
namespace {

using core::DType;
namespace dense = kernels::matmul;

/// One product per batch element, with offsets in elements computed from the broadcast leading dimensions.
struct Layout {
  dense::Problem problem;  // of one batch element
  core::Shape batch;       // broadcast leading dimensions
  core::Shape a_batch;     // of A and B, padded with ones to the rank of `batch`
  core::Shape b_batch;
  core::Shape y;

  /// Element of an operand's batch that the flat batch element `at` uses.
  [[nodiscard]] std::int64_t element(const core::Shape& operand, std::int64_t at) const {
    std::int64_t index = 0;
    std::int64_t stride = 1;
    for (std::size_t i = batch.size(); i-- > 0;) {
      const std::int64_t coordinate = at % batch[i];
      at /= batch[i];
      if (operand[i] != 1) index += coordinate * stride;
      stride *= operand[i];
    }
    return index;
  }
};

class MatMul final : public Op {
 public:
  MatMul(bool transposed, NodePlace place, const KernelChoice& choice)
      : transposed_(transposed), place_(std::move(place)), kernel_(&dense::kernel(choice.matmul)) {}

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    return {{inputs[0].dtype, layout(inputs).y}};
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads) const override {
    return f32_scratch_bytes(std::array{ValueFacts{inputs[0].dtype, layout(inputs).y}, inputs[0]});
  }

  void run(const RunContext& context) const override {
    const Layout layout = this->layout(facts_of(context.inputs));
    const dense::Problem& p = layout.problem;
    core::Scratch scratch(context.workspace);
    const WriteF32 y(context.outputs[0], scratch);
    const float* a = read_f32(context.inputs[0], scratch);
    const std::size_t width = core::bytes_of(p.weights, 1);
    const std::int64_t products = core::count_of(layout.batch);
    for (std::int64_t i = 0; i < products; ++i) {
      dense::Args args;
      args.a = a + layout.element(layout.a_batch, i) * p.m * p.k;
      args.w = context.inputs[1].data + static_cast<std::size_t>(layout.element(layout.b_batch, i) * p.k * p.n) * width;
      args.y = y.data() + i * p.m * p.n;
      kernel_->run(p, args, context.threads);
    }
    y.store();
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    const Layout layout = this->layout(inputs);
    core::Work one = dense::work(layout.problem);
    core::Work all;
    all.flops = one.flops * core::count_of(layout.batch);
    const auto bytes = [](const ValueFacts& value) {
      return static_cast<std::int64_t>(core::bytes_of(value.dtype, core::count_of(value.shape)));
    };
    (inputs[1].constant != nullptr ? all.weight_bytes : all.activation_bytes) += bytes(inputs[1]);
    all.activation_bytes += bytes(inputs[0]) + bytes({inputs[0].dtype, layout.y});
    return all;
  }

  std::string kernel(std::span<const ValueFacts>) const override { return fmt::format("matmul.{}", kernel_->name); }

 private:
  [[nodiscard]] Layout layout(std::span<const ValueFacts> inputs) const {
    if (inputs.size() != 2) reject(place_, "inputs", "2", std::to_string(inputs.size()));
    const ValueFacts& a = inputs[0];
    const ValueFacts& b = inputs[1];
    if (a.dtype != DType::f32 && a.dtype != DType::f16)
      reject(place_, "type of A, one of", "float32, float16", std::string(core::name_of(a.dtype)));
    if (b.dtype != a.dtype)
      reject(place_, "type of B", std::string(core::name_of(a.dtype)) + " as A", std::string(core::name_of(b.dtype)));
    if (a.shape.empty() || b.shape.empty()) reject(place_, "rank of A and B, at least", "1", "0");
    core::Shape left = a.shape;
    core::Shape right = b.shape;
    const bool drop_row = left.size() == 1;
    const bool drop_column = right.size() == 1;
    if (drop_row) left.insert(left.begin(), 1);
    if (drop_column) right.insert(transposed_ ? right.begin() : right.end(), 1);
    Layout out;
    out.problem.weights = b.dtype;
    out.problem.transposed = transposed_;
    out.problem.m = left[left.size() - 2];
    out.problem.k = left.back();
    out.problem.n = right[right.size() - (transposed_ ? 2 : 1)];
    const std::int64_t depth = right[right.size() - (transposed_ ? 1 : 2)];
    if (depth != out.problem.k) reject(place_, "depth of A and B", core::to_string(a.shape), core::to_string(b.shape));
    out.a_batch.assign(left.begin(), left.end() - 2);
    out.b_batch.assign(right.begin(), right.end() - 2);
    broadcast(out, a, b);
    out.y = out.batch;
    if (!drop_row) out.y.push_back(out.problem.m);
    if (!drop_column) out.y.push_back(out.problem.n);
    if (std::all_of(out.b_batch.begin(), out.b_batch.end(), [](std::int64_t extent) { return extent == 1; })) {
      // One right side for all: the leading dimensions of A are rows, weights are read once.
      out.problem.m *= core::count_of(out.batch);
      out.batch = out.a_batch = out.b_batch = {};
    }
    return out;
  }

  void broadcast(Layout& out, const ValueFacts& a, const ValueFacts& b) const {
    const std::size_t rank = std::max(out.a_batch.size(), out.b_batch.size());
    out.a_batch.insert(out.a_batch.begin(), rank - out.a_batch.size(), 1);
    out.b_batch.insert(out.b_batch.begin(), rank - out.b_batch.size(), 1);
    for (std::size_t i = 0; i < rank; ++i) {
      const std::int64_t x = out.a_batch[i];
      const std::int64_t y = out.b_batch[i];
      if (x != y && x != 1 && y != 1)
        reject(place_, "leading dimensions of A and B", core::to_string(a.shape), core::to_string(b.shape));
      out.batch.push_back(x == 1 ? y : x);
    }
  }

  bool transposed_;
  NodePlace place_;
  const dense::Kernel* kernel_;
};

}  // namespace

OpPtr make_matmul(const onnx::Node& node, std::int64_t, const NodePlace& place, std::span<const ValueFacts>,
                  const KernelChoice& choice) {
  Attributes attributes(node, place);
  bool transposed = false;
  if (node.op_type == "FusedMatMul") {
    if (const float alpha = attributes.real("alpha", 1.0F); alpha != 1.0F)
      reject(place, "attribute alpha", "1", fmt::format("{}", alpha));
    for (const char* name : {"transA", "transBatchA", "transBatchB"}) attributes.only(name, std::int64_t{0});
    transposed = attributes.integer("transB", 0) != 0;
  }
  attributes.finish();
  return std::make_unique<MatMul>(transposed, place, choice);
}

}  // namespace gonogo::ops
