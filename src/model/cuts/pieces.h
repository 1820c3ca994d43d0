// A model parted at cuts: which operators, inputs and outputs each piece has.
#pragma once

#include <vector>

#include "model/cuts/cuts.h"
#include "model/graph/graph.h"

namespace takt {

/// One model of those that a model is parted into. All tensors keep their names.
struct Piece {
  std::vector<int> ops;  ///< places in graph.ops, ascending; operators that only make constants are in every piece that
                         ///< reads them
  /// Inputs of the whole model first, in its order, then what earlier pieces make, ascending.
  std::vector<TensorId> inputs;
  /// Outputs of the whole model first, in its order, then what only later pieces read, ascending.
  std::vector<TensorId> outputs;
};

/// The pieces between `cuts`, which are some of find_cuts(graph), by place; one more than there are cuts. Run one after
/// another, each fed with what the model is given and what those before it made, they give the model's outputs. Every
/// operator whose results reach an output is in one piece; the others are in none. Inputs that nobody reads are inputs
/// of the first piece, outputs that no operator computes (an input that is handed on, a constant) those of the last.
/// Pieces that follow each other, taken as one, are the piece between their outer cuts. Thread-safe.
std::vector<Piece> pieces_of(const Graph& graph, const std::vector<Cut>& cuts);

}  // namespace takt
