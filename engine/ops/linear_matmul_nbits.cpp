// com.microsoft.MatMulNBits: shapes and types as ONNX Runtime 1.30 checks them, then one of the int4_matmul kernels.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/ops/attributes.hpp"
#include "engine/ops/float_io.hpp"
#include "engine/ops/linear.hpp"
#include "harness/core/error.hpp"
#include "kernels/int4_matmul/kernels.hpp"

namespace gonogo::ops {
namespace {

namespace nbits = kernels::int4_matmul;
using core::DType;

enum Input : std::size_t { kA, kB, kScales, kZeroPoints, kGroup, kBias };

struct Settings {
  std::int64_t k = 0;
  std::int64_t n = 0;
  int bits = 4;
  std::int64_t block_size = 0;
  std::int64_t accuracy_level = 0;
};

void want(bool holds, const NodePlace& place, std::string_view rule, const std::string& wanted,
          const std::string& got) {
  if (!holds) reject(place, std::string(rule), wanted, got);
}

std::string type_name(const ValueFacts& value) { return std::string(core::name_of(value.dtype)); }

class MatMulNBits final : public Op {
 public:
  MatMulNBits(const Settings& settings, NodePlace place, std::span<const ValueFacts> inputs, const KernelChoice& choice)
      : settings_(settings), place_(std::move(place)) {
    want(fact_at(inputs, kA).present && fact_at(inputs, kB).present && fact_at(inputs, kScales).present, place_,
         "inputs A, B and scales", "present", "absent");
    want(inputs.size() <= 6, place_, "inputs, at most", "6", std::to_string(inputs.size()));
    problem_.n = settings.n;
    problem_.k = settings.k;
    problem_.bits = settings.bits;
    problem_.block_size = settings.block_size;
    problem_.bias = fact_at(inputs, kBias).present;
    problem_.group_index = fact_at(inputs, kGroup).present;
    if (auto ok = nbits::eligible(problem_); !ok) reject(place_, ok.reason());
    check_types(inputs);
    for (std::size_t i = kB; i <= kBias; ++i)
      if (const ValueFacts value = fact_at(inputs, i); value.present && value.constant != nullptr)
        check_shape(i, value);
    if (const ValueFacts group = fact_at(inputs, kGroup); group.present && group.constant != nullptr) {
      const auto* index = reinterpret_cast<const std::int32_t*>(group.constant);
      check_group(index);
      // Quantisers that do not reorder write the plain ramp: the same as no index.
      drop_group_ = problem_.zero_points == nbits::ZeroPoints::none && is_ramp(index);
      problem_.group_index = !drop_group_;
    }
    if (auto ok = nbits::eligible(problem_); !ok) reject(place_, ok.reason());
    kernel_ = &choose(choice);
  }

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    check_types_fixed(inputs);
    const ValueFacts a = fact_at(inputs, kA);
    want(!a.shape.empty(), place_, "rank of A, at least", "1", "0");
    want(a.shape.back() == settings_.k, place_, "last extent of A", std::to_string(settings_.k),
         core::to_string(a.shape));
    for (std::size_t i = kB; i <= kBias; ++i)
      if (const ValueFacts value = fact_at(inputs, i); value.present) check_shape(i, value);
    core::Shape shape = a.shape;
    shape.back() = settings_.n;
    return {{a.dtype, std::move(shape)}};
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads threads) const override {
    return conversion_bytes(inputs) + kernel_->workspace_bytes(problem(inputs), threads);
  }

  void run(const RunContext& context) const override {
    const std::vector<ValueFacts> facts = facts_of(context.inputs);
    const nbits::Problem problem = this->problem(facts);
    core::Scratch scratch(context.workspace);
    const core::Tensor group = tensor_at(context.inputs, kGroup);
    const WriteF32 y(context.outputs[0], scratch);
    nbits::Args args;
    args.a = read_f32(context.inputs[kA], scratch);
    args.codes = context.inputs[kB].as<const std::uint8_t>();
    args.scales = context.inputs[kScales].data;
    args.zero_points = problem.zero_points == nbits::ZeroPoints::none ? nullptr : context.inputs[kZeroPoints].data;
    args.group = problem.group_index ? group.as<const std::int32_t>() : nullptr;
    args.bias = problem.bias ? read_f32(context.inputs[kBias], scratch) : nullptr;
    args.y = y.data();
    if (args.group != nullptr) check_group(args.group);
    const std::size_t bytes = kernel_->workspace_bytes(problem, context.threads);
    std::byte* workspace = bytes == 0 ? nullptr : scratch.take<std::byte>(static_cast<std::int64_t>(bytes));
    kernel_->run(problem, args, workspace, context.threads);
    y.store();
  }

  core::Work work(std::span<const ValueFacts> inputs) const override {
    core::Work work = nbits::work(problem(inputs));
    const ValueFacts a = fact_at(inputs, kA);
    if (a.dtype == DType::f16) work.activation_bytes /= 2;
    return work;
  }

  std::string kernel(std::span<const ValueFacts>) const override {
    return fmt::format("matmul_nbits.{}", kernel_->name);
  }

  core::Eligibility capture(std::span<const ValueFacts> inputs) const override {
    if (kernel_->transient(problem(inputs)))
      return core::refuse("workspace from the plan", "none allocated per call", kernel(inputs) + " allocates its own");
    return core::accept();
  }

 private:
  void check_types(std::span<const ValueFacts> inputs) {
    const ValueFacts zero_points = fact_at(inputs, kZeroPoints);
    check_types_fixed(inputs);
    problem_.scales = fact_at(inputs, kScales).dtype;
    if (!zero_points.present) return;
    problem_.zero_points = zero_points.dtype == DType::u8    ? nbits::ZeroPoints::packed
                           : zero_points.dtype == DType::f32 ? nbits::ZeroPoints::f32
                                                             : nbits::ZeroPoints::f16;
  }

  void check_types_fixed(std::span<const ValueFacts> inputs) const {
    const ValueFacts a = fact_at(inputs, kA);
    want(a.dtype == DType::f32 || a.dtype == DType::f16, place_, "type of A, one of", "float32, float16", type_name(a));
    const auto same = [&](std::size_t index, std::string_view rule) {
      const ValueFacts value = fact_at(inputs, index);
      want(!value.present || value.dtype == a.dtype, place_, rule, type_name(a) + " as A", type_name(value));
    };
    want(fact_at(inputs, kB).dtype == DType::u8, place_, "type of B", "uint8", type_name(fact_at(inputs, kB)));
    same(kScales, "type of scales");
    same(kBias, "type of bias");
    const ValueFacts zero_points = fact_at(inputs, kZeroPoints);
    want(!zero_points.present || zero_points.dtype == DType::u8 || zero_points.dtype == a.dtype, place_,
         "type of zero_points, one of", "uint8, " + type_name(a), type_name(zero_points));
    const ValueFacts group = fact_at(inputs, kGroup);
    want(!group.present || group.dtype == DType::i32, place_, "type of g_idx", "int32", type_name(group));
  }

  void check_shape(std::size_t index, const ValueFacts& value) const {
    const auto& p = problem_;
    const std::int64_t blocks = p.blocks();
    const auto one_of = [&](std::string_view name, const core::Shape& first, const core::Shape& second) {
      want(value.shape == first || value.shape == second, place_, fmt::format("shape of {}", name),
           first == second ? core::to_string(first) : core::to_string(first) + " or " + core::to_string(second),
           core::to_string(value.shape));
    };
    switch (index) {
      case kB:
        one_of("B", {p.n, blocks, p.block_bytes()}, {p.n, blocks, p.block_bytes()});
        break;
      case kScales:
        one_of("scales", {p.n, blocks}, {p.n * blocks});
        break;
      case kZeroPoints: {
        const std::int64_t row = p.zero_points == nbits::ZeroPoints::packed ? p.zero_point_row_bytes() : blocks;
        one_of("zero_points", {p.n, row}, {p.n * row});
        break;
      }
      case kGroup:
        one_of("g_idx", {p.k}, {blocks * p.block_size});
        break;
      case kBias:
        one_of("bias", {p.n}, {p.n});
        break;
      default:
        break;
    }
  }

  void check_group(const std::int32_t* group) const {
    for (std::int64_t k = 0; k < settings_.k; ++k)
      if (group[k] < 0 || group[k] >= problem_.blocks())
        reject(place_, fmt::format("g_idx[{}]", k), fmt::format("in [0, {})", problem_.blocks()),
               std::to_string(group[k]));
  }

  [[nodiscard]] bool is_ramp(const std::int32_t* group) const {
    for (std::int64_t k = 0; k < settings_.k; ++k)
      if (group[k] != k / settings_.block_size) return false;
    return true;
  }

  [[nodiscard]] const nbits::Kernel& choose(const KernelChoice& choice) const {
    // Float zero points and a group index stay in float32 whatever the level (docs/onnx-operators.md, accuracy_level).
    const nbits::Kernel& int8 = nbits::kernel("int8");
    if (choice.int8_activations && settings_.accuracy_level == 4 && int8.eligible(problem_)) return int8;
    const nbits::Kernel& wanted = nbits::kernel(choice.matmul_nbits);
    return wanted.eligible(problem_) ? wanted : nbits::kernel("portable");
  }

  [[nodiscard]] nbits::Problem problem(std::span<const ValueFacts> inputs) const {
    nbits::Problem problem = problem_;
    const core::Shape& a = fact_at(inputs, kA).shape;
    problem.m = 1;
    for (std::size_t i = 0; i + 1 < a.size(); ++i) problem.m *= a[i];
    return problem;
  }

  [[nodiscard]] std::size_t conversion_bytes(std::span<const ValueFacts> inputs) const {
    const ValueFacts a = fact_at(inputs, kA);
    core::Shape y = a.shape;
    y.back() = settings_.n;
    ValueFacts bias = fact_at(inputs, kBias);
    return f32_scratch_bytes(std::array{ValueFacts{a.dtype, y}, a, bias});
  }

  Settings settings_;
  NodePlace place_;
  nbits::Problem problem_;  // without m
  bool drop_group_ = false;
  const nbits::Kernel* kernel_ = nullptr;
};

}  // namespace

OpPtr make_matmul_nbits(const onnx::Node& node, std::int64_t, const NodePlace& place,
                        std::span<const ValueFacts> inputs, const KernelChoice& choice) {
  Attributes attributes(node, place);
  Settings s;
  s.k = attributes.required_integer("K");
  s.n = attributes.required_integer("N");
  const std::int64_t bits = attributes.integer("bits", 4);
  if (bits != 2 && bits != 4 && bits != 8) reject(place, "bits, one of", "2, 4, 8", std::to_string(bits));
  s.bits = static_cast<int>(bits);
  s.block_size = attributes.required_integer("block_size");
  s.accuracy_level = attributes.integer("accuracy_level", 0);
  if (s.accuracy_level < 0 || s.accuracy_level > 4)
    reject(place, "accuracy_level", "0 to 4", std::to_string(s.accuracy_level));
  attributes.only("weight_prepacked", std::int64_t{0});
  attributes.finish();
  return std::make_unique<MatMulNBits>(s, place, inputs, choice);
}

}  // namespace gonogo::ops
