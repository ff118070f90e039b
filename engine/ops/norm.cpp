// Which normalisation operators there are, and what each reads from its node.
#include "engine/ops/attributes.hpp"
#include "engine/ops/norm_rules.hpp"
#include "engine/ops/registry.hpp"

namespace gonogo::ops {
namespace {

using kernels::norm::Kind;
using norm::Places;
using norm::Rules;

std::vector<bool> there(const std::vector<std::string>& names) {
  std::vector<bool> present;
  for (const std::string& name : names) present.push_back(!name.empty());
  return present;
}

/// The common part: attributes, then which inputs and outputs there are.
std::unique_ptr<Op> finish(const onnx::Node& node, const NodePlace& place, Rules rules, float default_epsilon,
                           const KernelChoice& choice) {
  Attributes attributes(node, place);
  rules.epsilon = attributes.real("epsilon", default_epsilon);
  const bool skip = rules.places.skip >= 0;
  if (!skip) {
    rules.axis = attributes.integer("axis", -1);
    attributes.only("stash_type", 1);
  }
  attributes.finish();
  rules.inputs = there(node.inputs);
  rules.outputs = there(node.outputs);
  return norm::make_norm(std::move(rules), place, form_of(choice.norm));
}

std::unique_ptr<Op> make_simplified(const onnx::Node& node, std::int64_t, const NodePlace& place,
                                    std::span<const ValueFacts>, const KernelChoice& choice) {
  return finish(node, place, {.kernel = "rms_norm", .places = {.inverse = 1}}, 1e-5f, choice);
}

std::unique_ptr<Op> make_rms(const onnx::Node& node, std::int64_t, const NodePlace& place, std::span<const ValueFacts>,
                             const KernelChoice& choice) {
  return finish(node, place, {.kernel = "rms_norm", .round_before_gamma = true}, 1e-5f, choice);
}

std::unique_ptr<Op> make_layer(const onnx::Node& node, std::int64_t, const NodePlace& place,
                               std::span<const ValueFacts>, const KernelChoice& choice) {
  return finish(node, place,
                {.kernel = "layer_norm", .kind = Kind::layer, .places = {.beta = 2, .mean = 1, .inverse = 2}}, 1e-5f,
                choice);
}

std::unique_ptr<Op> make_skip_simplified(const onnx::Node& node, std::int64_t, const NodePlace& place,
                                         std::span<const ValueFacts>, const KernelChoice& choice) {
  const Places places{.skip = 1, .gamma = 2, .bias = 3, .inverse = 2, .sum = 3};
  return finish(node, place, {.kernel = "skip_rms_norm", .places = places}, 1e-12f, choice);
}

std::unique_ptr<Op> make_skip_layer(const onnx::Node& node, std::int64_t, const NodePlace& place,
                                    std::span<const ValueFacts>, const KernelChoice& choice) {
  const Places places{.skip = 1, .gamma = 2, .beta = 3, .bias = 4, .mean = 1, .inverse = 2, .sum = 3};
  return finish(node, place, {.kernel = "skip_layer_norm", .kind = Kind::layer, .places = places}, 1e-12f, choice);
}

}  // namespace

std::span<const Registration> norm_ops() {
  static constexpr Registration kTable[] = {
      {"", "SimplifiedLayerNormalization", make_simplified},  // no ONNX operator, yet exported in the empty domain
      {"com.microsoft", "SimplifiedLayerNormalization", make_simplified},
      {"com.microsoft", "SkipSimplifiedLayerNormalization", make_skip_simplified},
      {"", "RMSNormalization", make_rms},
      {"", "LayerNormalization", make_layer},
      {"com.microsoft", "SkipLayerNormalization", make_skip_layer},
  };
  return kTable;
}

}  // namespace gonogo::ops
