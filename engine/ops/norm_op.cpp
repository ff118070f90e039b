#include <fmt/format.h>

#include <cstring>

#include "engine/ops/attributes.hpp"
#include "engine/ops/float_io.hpp"
#include "engine/ops/norm_rules.hpp"

namespace gonogo::ops::norm {
namespace {

/// Extents of one call.
struct Extents {
  std::int64_t rows = 1, width = 1, skip_rows = 0;
  core::DType type = core::DType::f32;
};

/// An input or output of the call: its type and shape.
struct Face {
  core::DType dtype = core::DType::f32;
  const core::Shape* shape = nullptr;
};

template <class T>
std::vector<Face> faces_of(std::span<const T> values) {
  std::vector<Face> faces;
  for (const T& value : values) faces.push_back({value.dtype, &value.shape});
  return faces;
}

class Norm final : public Op {
 public:
  Norm(Rules rules, NodePlace place, Form form) : rules_(std::move(rules)), place_(std::move(place)), form_(form) {
    const Places& p = rules_.places;
    if (!has(rules_.inputs, 0) || !has(rules_.inputs, p.gamma))
      reject(place_, "inputs x and scale", "present", "absent");
    if (p.skip >= 0 && !has(rules_.inputs, p.skip)) reject(place_, "input skip", "present", "absent");
    for (int i = 1; i < static_cast<int>(rules_.inputs.size()); ++i)
      if (has(rules_.inputs, i) && i != p.skip && i != p.gamma && i != p.beta && i != p.bias)
        reject(place_, "input", "one of the operator's", fmt::format("input {}", i));
    for (int i = 1; i < static_cast<int>(rules_.outputs.size()); ++i)
      if (has(rules_.outputs, i) && i != p.mean && i != p.inverse && i != p.sum)
        reject(place_, "output", "one this engine computes", fmt::format("output {}", i));
  }

  std::vector<ValueFacts> infer(std::span<const ValueFacts> inputs) const override {
    const Extents e = check(faces_of(inputs));
    std::vector<ValueFacts> facts(std::max<std::size_t>(rules_.outputs.size(), 1));
    facts[0] = {e.type, inputs[0].shape};
    core::Shape one_per_row = inputs[0].shape;
    one_per_row.back() = 1;
    for (std::size_t i = 1; i < facts.size(); ++i) {
      const int at = static_cast<int>(i);
      if (!rules_.outputs[i])
        facts[i] = {core::DType::f32, {0}, nullptr, false};
      else
        facts[i] =
            at == rules_.places.sum ? ValueFacts{e.type, inputs[0].shape} : ValueFacts{core::DType::f32, one_per_row};
    }
    return facts;
  }

  std::size_t workspace_bytes(std::span<const ValueFacts> inputs, kernels::Threads) const override {
    const auto faces = faces_of(inputs);
    const Extents e = check(faces);
    return form(e.rows) == Form::per_call ? 0 : scratch_bytes(faces, e);
  }

  void run(const RunContext& context) const override;

  core::Work work(std::span<const ValueFacts> inputs) const override {
    const Extents e = check(faces_of(inputs));
    const auto row_bytes = static_cast<std::int64_t>(core::bytes_of(e.type, e.rows * e.width));
    const std::int64_t passes =
        2 + (rules_.places.skip >= 0 ? 1 : 0) + (has(rules_.outputs, rules_.places.sum) ? 1 : 0);
    return {.weight_bytes = static_cast<std::int64_t>(core::bytes_of(e.type, e.width)),
            .activation_bytes = passes * row_bytes,
            .flops = 4 * e.rows * e.width};
  }

  std::string kernel(std::span<const ValueFacts> inputs) const override {
    return fmt::format("{}.{}", rules_.kernel, name_of(form(check(faces_of(inputs)).rows)));
  }
  core::Eligibility capture(std::span<const ValueFacts> inputs) const override {
    return capture_of(form(check(faces_of(inputs)).rows));
  }

 private:
  static bool has(const std::vector<bool>& present, int index) {
    return index >= 0 && static_cast<std::size_t>(index) < present.size() && present[static_cast<std::size_t>(index)];
  }
  /// One row needs no staging in any engine's history: only more rows allocate.
  [[nodiscard]] Form form(std::int64_t rows) const { return rows > 1 ? form_ : Form::from_plan; }
  [[nodiscard]] Extents check(const std::vector<Face>& inputs) const;
  [[nodiscard]] std::size_t scratch_bytes(const std::vector<Face>& inputs, const Extents& e) const;

  Rules rules_;
  NodePlace place_;
  Form form_;
};

Extents Norm::check(const std::vector<Face>& inputs) const {
  const core::Shape& x = *inputs[0].shape;
  Extents e{.type = inputs[0].dtype};
  if (e.type != core::DType::f32 && e.type != core::DType::f16)
    reject(place_, "type of x, one of", "float32, float16", std::string(core::name_of(e.type)));
  if (x.empty() || x.back() < 1) reject(place_, "shape of x, with a last extent of at least", "1", core::to_string(x));
  if (rules_.axis != -1 && rules_.axis != static_cast<std::int64_t>(x.size()) - 1)
    reject(place_, "axis, the last", fmt::format("-1 or {}", x.size() - 1), fmt::format("{}", rules_.axis));
  e.width = x.back();
  e.rows = core::count_of(x) / e.width;
  const Places& p = rules_.places;
  for (const int i : {p.skip, p.gamma, p.beta, p.bias}) {
    if (!has(rules_.inputs, i)) continue;
    const Face& face = inputs[static_cast<std::size_t>(i)];
    if (face.dtype != e.type)
      reject(place_, fmt::format("type of input {}, that of x", i), std::string(core::name_of(e.type)),
             std::string(core::name_of(face.dtype)));
    if (i != p.skip && *face.shape != core::Shape{e.width})
      reject(place_, fmt::format("shape of input {}", i), core::to_string({e.width}), core::to_string(*face.shape));
  }
  if (p.skip >= 0) {
    // Either x's shape, or x's without the batch, or with a batch of 1.
    const core::Shape& skip = *inputs[static_cast<std::size_t>(p.skip)].shape;
    const bool same = skip == x;
    const bool repeated = x.size() == 3 && (skip == core::Shape{x[1], x[2]} || skip == core::Shape{1, x[1], x[2]});
    if (!same && !repeated)
      reject(place_, "shape of skip, that of x (or x without its batch)", core::to_string(x), core::to_string(skip));
    e.skip_rows = core::count_of(skip) / e.width;
  }
  return e;
}

std::size_t Norm::scratch_bytes(const std::vector<Face>& inputs, const Extents& e) const {
  core::Scratch counter;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (has(rules_.inputs, static_cast<int>(i)) && inputs[i].dtype == core::DType::f16)
      (void)counter.take<float>(core::count_of(*inputs[i].shape));
  if (e.type == core::DType::f16) {
    (void)counter.take<float>(e.rows * e.width);  // y
    if (has(rules_.outputs, rules_.places.sum)) (void)counter.take<float>(e.rows * e.width);
  }
  if (form(e.rows) == Form::per_call) (void)counter.take<float>(e.rows * e.width);  // the staged sum rows
  return counter.used();
}

void Norm::run(const RunContext& context) const {
  const auto faces = faces_of(context.inputs);
  const Extents e = check(faces);
  if (e.rows == 0) return;
  const Places& p = rules_.places;
  const bool staged = form(e.rows) == Form::per_call;
  CallScratch call_scratch(context, form(e.rows), staged ? scratch_bytes(faces, e) : 0);
  core::Scratch& scratch = call_scratch.get();
  const auto read = [&](int i) {
    return has(rules_.inputs, i) ? read_f32(context.inputs[static_cast<std::size_t>(i)], scratch) : nullptr;
  };
  const auto wants = [&](int i) {
    return has(rules_.outputs, i) ? &context.outputs[static_cast<std::size_t>(i)] : nullptr;
  };

  kernels::norm::Args args{.x = read(0),
                           .skip = read(p.skip),
                           .skip_rows = e.skip_rows,
                           .skip_bias = read(p.bias),
                           .gamma = read(p.gamma),
                           .beta = read(p.beta)};
  const WriteF32 y(context.outputs[0], scratch);
  args.y = y.data();
  core::Tensor* sum_tensor = wants(p.sum);
  const WriteF32 sum(
      sum_tensor == nullptr ? core::Tensor{core::DType::f32, {0}, nullptr, core::MemorySpace::host} : *sum_tensor,
      scratch);
  float* stage = staged ? scratch.take<float>(e.rows * e.width) : nullptr;
  args.sum = staged && p.skip >= 0 ? stage : sum.data();
  if (staged && p.skip < 0) {
    // Without a skip the staged rows are the input's.
    std::memcpy(stage, args.x, static_cast<std::size_t>(e.rows * e.width) * sizeof(float));
    args.x = stage;
  }
  if (core::Tensor* mean = wants(p.mean)) args.mean = mean->as<float>();
  if (core::Tensor* inverse = wants(p.inverse)) args.inverse = inverse->as<float>();
  const bool round = rules_.round_before_gamma && e.type == core::DType::f16;
  kernels::norm::normalize(
      {.rows = e.rows,
       .width = e.width,
       .epsilon = rules_.epsilon,
       .kind = rules_.kind,
       .rounding = round ? kernels::norm::Rounding::f16_before_gamma : kernels::norm::Rounding::once},
      args, context.threads);
  if (staged && sum_tensor != nullptr)
    std::memcpy(sum.data(), stage, static_cast<std::size_t>(e.rows * e.width) * sizeof(float));
  y.store();
  sum.store();
}

}  // namespace

std::unique_ptr<Op> make_norm(Rules rules, const NodePlace& place, Form form) {
  return std::make_unique<Norm>(std::move(rules), place, form);
}

}  // namespace gonogo::ops::norm
