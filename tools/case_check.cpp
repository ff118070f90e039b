#include "tools/case_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/graph/graph.hpp"
#include "engine/onnx/model.hpp"
#include "harness/core/error.hpp"
#include "harness/core/half.hpp"

namespace gonogo::tools {
namespace {

double value_at(const core::Tensor& tensor, std::int64_t i) {
  switch (tensor.dtype) {
    case core::DType::f32:
      return static_cast<double>(tensor.as<float>()[i]);
    case core::DType::f16:
      return static_cast<double>(core::f16_to_f32(tensor.as<std::uint16_t>()[i]));
    case core::DType::bf16:
      return static_cast<double>(core::bf16_to_f32(tensor.as<std::uint16_t>()[i]));
    default:
      return 0;
  }
}

/// The distance to the next number of a 16-bit type, at `value`.
double unit_at(core::DType type, double value) {
  const int fraction_bits = type == core::DType::f16 ? 10 : 7;
  const int least_exponent = type == core::DType::f16 ? -14 : -126;
  const int exponent = value == 0 ? least_exponent : std::max(least_exponent, std::ilogb(value));
  return std::ldexp(1.0, exponent - fraction_bits);
}

std::optional<std::string> float_difference(const std::string& name, const core::Tensor& wanted,
                                            const core::Tensor& got) {
  double largest = 0;
  for (std::int64_t i = 0; i < wanted.count(); ++i)
    if (std::isfinite(value_at(wanted, i))) largest = std::max(largest, std::abs(value_at(wanted, i)));
  for (std::int64_t i = 0; i < wanted.count(); ++i) {
    const double w = value_at(wanted, i);
    const double g = value_at(got, i);
    if ((std::isnan(w) && std::isnan(g)) || w == g) continue;
    double tolerance = kRelative * largest + kFloor;
    if (wanted.dtype != core::DType::f32) tolerance += kUnits * unit_at(wanted.dtype, w);
    // Written so that a NaN on either side, or an infinity, fails.
    if (std::isfinite(w) && std::abs(w - g) <= tolerance) continue;
    return fmt::format("output {}[{}]: wanted {:.9g}, got {:.9g}, tolerance {:.2g}", name, i, w, g, tolerance);
  }
  return std::nullopt;
}

std::optional<std::string> exact_difference(const std::string& name, const core::Tensor& wanted,
                                            const core::Tensor& got) {
  const auto bytes = static_cast<std::int64_t>(wanted.bytes());
  const auto at = std::mismatch(wanted.data, wanted.data + bytes, got.data).first - wanted.data;
  if (at == bytes) return std::nullopt;
  return fmt::format("output {}[{}]: another {}", name, at * 8 / core::bits_of(wanted.dtype),
                     core::name_of(wanted.dtype));
}

std::string shape_text(const core::Tensor& tensor) {
  return std::string(core::name_of(tensor.dtype)) + core::to_string(tensor.shape);
}

CaseResult run_case(const Case& one, const graph::EvaluateOptions& options) {
  graph::Graph graph = graph::build(onnx::load(one.model));
  std::vector<std::string> enabled;
  for (const graph::Rewrite& rewrite : graph::rewrites())
    if (rewrite.name != "fold_mask") enabled.emplace_back(rewrite.name);
  (void)graph::rewrite(graph, enabled);
  graph::Feeds feeds;
  for (const auto& [name, feed] : one.feeds) feeds.emplace(name, feed.tensor);
  const graph::Evaluation evaluation = graph::evaluate(graph, feeds, options);
  if (one.must_refuse) return {Outcome::wrong, "computes a value where a refusal is expected"};
  for (const auto& [name, expected] : one.expected) {
    const auto got = evaluation.outputs.find(name);
    if (got == evaluation.outputs.end())
      return {Outcome::wrong, "output " + name + ": the graph has none of this name"};
    if (const auto text = difference(name, expected.tensor, got->second)) return {Outcome::wrong, *text};
  }
  return {Outcome::right, ""};
}

}  // namespace

std::optional<std::string> difference(const std::string& name, const core::Tensor& wanted, const core::Tensor& got) {
  if (wanted.dtype != got.dtype || wanted.shape != got.shape)
    return fmt::format("output {}: wanted {}, got {}", name, shape_text(wanted), shape_text(got));
  return core::is_float(wanted.dtype) ? float_difference(name, wanted, got) : exact_difference(name, wanted, got);
}

CaseResult check_case(const Case& one, const graph::EvaluateOptions& options) {
  const auto refused = [&](const std::string& what) {
    return CaseResult{one.must_refuse ? Outcome::right : Outcome::refused, what};
  };
  try {
    return run_case(one, options);
  } catch (const core::InputError& error) {
    return refused(error.what());
  } catch (const core::EnvironmentError& error) {
    return refused(error.what());
  } catch (const std::exception& error) {
    return {Outcome::wrong, std::string("failed: ") + error.what()};
  }
}

}  // namespace gonogo::tools
