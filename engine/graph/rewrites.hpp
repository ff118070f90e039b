// The rewrites, each a function that changes the graph and returns how often it applied. rewrites() lists them in
// order.
#pragma once

#include <vector>

#include "engine/graph/graph.hpp"

namespace gonogo::graph {

/// Constant nodes, and nodes that read constants only, become constants. Left for the rewrites below: views, which need
/// no copy, and 4-bit DequantizeLinear, which would blow the weights up.
int fold_constants(Graph& graph);

/// A Reshape, Squeeze, Unsqueeze or Identity of a constant becomes a constant over the same bytes.
int fold_reshaped_initializers(Graph& graph);

/// Batch 1 and a mask of ones: what is computed from attention_mask is an affine function of the total length. Values
/// that equal it, or it minus one, become step scalars; values that do not depend on it become constants. Counts the
/// values replaced. A use that is not affine (an additive mask) stays as it is.
int fold_mask(Graph& graph);

/// DequantizeLinear of a blocked 4-bit weight and MatMul become MatMulNBits over the repacked codes, in both layouts:
/// [K, N] blocked on axis 0, or [N, K] blocked on axis 1 and transposed.
int dequantize_matmul(Graph& graph);

/// As fold_constants, for the 4-bit DequantizeLinear nodes that dequantize_matmul left.
int fold_dequantized(Graph& graph);

/// Add of a constant [N] after MatMulNBits becomes its bias input, when it has none and nobody else reads the product.
int fuse_bias(Graph& graph);

/// x * Sigmoid(x) * up becomes gonogo.SwiGlu(x, up), when x and up come from matmuls of one width over one input, or
/// from one even Split: then no broadcast is involved.
int fuse_swiglu(Graph& graph);

/// Drops nodes whose outputs nobody reads.
int remove_dead(Graph& graph);

/// Drops the marked nodes; returns how many.
int remove_nodes(Graph& graph, const std::vector<bool>& is_dropped);

}  // namespace gonogo::graph
