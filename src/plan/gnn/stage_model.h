// Stages of a graph neural network as an ONNX model that every runtime can open.
//
// Sums over the edges of a node decide what a layer costs, and runtimes differ in what they offer for them:
//
// * ONNX has ScatterElements and ScatterND with a reduction. ScatterND needs one index per edge instead of one per
//   number, but OpenVINO's reader refuses its reductions, and users of ONNX Runtime report sums that change from run to
//   run with several threads. So takt takes ScatterElements, with indices of 32 bits: they are as many as the messages,
//   E×F, and would take twice their memory in 64.
// * OpenVINO has EmbeddingBagOffsetsSum, which gathers and adds in one step: a range from the gathering to the sum
//   holds no E×F numbers. It wants the edges of a node next to each other. A file says it as an operator of PyTorch's
//   (ATen, embedding_bag), which OpenVINO reads and ONNX Runtime does not know.
//
// A graph without any edge is no case for OpenVINO: its CPU plug-in (2026.4.1) divides by zero in a scatter of no rows,
// and the process ends.
//
// Another saving holds everywhere: a range that gathers and scores (GAT, stages 2 and 3) multiplies with the attention
// weights per node and gathers the products, which is the same number and E×H values less.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/onnx/onnx.h"
#include "plan/gnn/edge_list.h"
#include "plan/gnn/network.h"

namespace takt {

enum class Aggregation {
  scatter,  ///< standard ONNX; edges in any order
  bag,      ///< where a range holds both the gathering and the sum: without E×F; OpenVINO; edges sorted by target
};

struct StageModelSettings {
  std::int64_t features = 500, hidden = 500;  ///< F and H
  ElementType precision = ElementType::f32;   ///< of features and weights: f32 or f16
  std::optional<GraphSize> size = {};         ///< unset: the model leaves nodes and edges open
  /// Of a part of a graph (graph_parts.h), with `size`: rows of the table that edges read from, the part's own nodes
  /// first. All other tensors have the rows of `size`. Unset: the table has no others.
  std::optional<std::int64_t> table_rows = {};
  Aggregation aggregation = Aggregation::scatter;
  std::uint64_t seed = 42;  ///< of the weights
};

/// The model of a range; its inputs and outputs are ports_of(range) by name, but for `num_nodes`, which a model of a
/// fixed size does not ask for. Stages have the same weights in all ranges. Equal calls give equal bytes. Throws
/// Error(bad_input) for sizes below 1 (edges: below 0), other precisions, and parts of a range that needs the whole
/// graph (the norms of GCN).
OnnxModel stage_model(const StageRange& range, const StageModelSettings& settings);

/// The input of a range that edges read rows of: "x", "wx"; empty: it gathers nothing.
std::string_view table_of(const StageRange& range);

/// Whether the model of a range has a sum that is made as Aggregation::bag.
bool can_bag(const StageRange& range);

/// A weight by its name, row by row: uniform in ±sqrt(3 / rows), so that values neither grow nor vanish. GraphSAGE has
/// w_l and w_r (F×H) and b (H), GCN w and b, GAT w, att_dst and att_src (H×1). float32; models in halves round them.
std::vector<float> stage_weight(std::string_view name, std::int64_t rows, std::int64_t columns, std::uint64_t seed);

}  // namespace takt
