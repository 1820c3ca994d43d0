// Which inputs decide by their values what a model computes: which branch of an If, how often a Loop runs, how large
// the result of a Range or a Resize is.
#pragma once

#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace takt {

struct Steering {
  TensorId input = no_tensor;  ///< one of graph.inputs
  std::string op;              ///< the If or Loop (of the whole model, or inside of a body)
  std::string type;            ///< "If", "Loop", "Range"
  std::size_t operand = 0;     ///< of the operator, by number, that the values reach: 2 is the step of a Range
};

/// Every input whose values reach a condition or a trip count, with the first operator that it steers, in the order of
/// graph.inputs. Values that are only asked for their shape do not count, unless that shape depends on values (NonZero,
/// a top-k). A body's own condition depends on all that the Loop is given.
std::vector<Steering> find_steering(const Graph& graph);

/// The same for inputs whose values reach an operand that says how large a result is: the limits of a Range, the scales
/// of a Resize, the k of a TopK. What a body is handed anew in each turn does not count.
std::vector<Steering> find_sizing(const Graph& graph);

}  // namespace takt
