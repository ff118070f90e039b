#include "engine/levers/choice.hpp"

namespace gonogo::engine {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

NodeRole role_of(std::string_view op_type) {
  if (contains(op_type, "MatMul")) return NodeRole::projection;
  if (contains(op_type, "Attention")) return NodeRole::attention;
  if (contains(op_type, "Normalization")) return NodeRole::norm;
  return NodeRole::other;
}

ops::KernelChoice kernel_choice(const Stack& stack, NodeRole role, bool int8_activations) {
  ops::KernelChoice choice;
  switch (role) {
    case NodeRole::projection:
    case NodeRole::lm_head: {
      const bool fast = stack.has("gemm") && (role == NodeRole::projection || stack.has("lm_head"));
      choice.matmul_nbits = fast ? "simd" : "portable";
      choice.matmul = choice.matmul_nbits;
      choice.int8_activations = int8_activations;
      break;
    }
    case NodeRole::attention:
      choice.attention = stack.has("attention") ? "static" : "transient";
      break;
    case NodeRole::norm:
      choice.norm = stack.has("norm") ? "static" : "transient";
      break;
    case NodeRole::other:
      break;
  }
  return choice;
}

bool rewrite_enabled(const Stack& stack, std::string_view rewrite) {
  return !rewrite.starts_with("fuse") || stack.has("fusion");
}

}  // namespace gonogo::engine
