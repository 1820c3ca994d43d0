// Where a model can be parted into models that run one after another.
//
// The operators that run stand in one order (run_order.h). A cut is a place between two of them; what was computed
// before it and is read after it has to go across. Where that is one tensor, every way from the model's inputs to its
// outputs leads through this tensor (a dominator); where a skip connection crosses, the cut has two tensors or three.
// A cut is found in the order of the file, not in any order: of two branches side by side, a file that alternates
// between them can only be cut across both. What the order cannot change, single tensors, is found in every file.
//
// Three things cross a cut that count nothing, because no earlier model has to make them for a later one: constants
// (each model has its own), inputs of the whole model that are read after the cut (a later model is fed with them), and
// outputs of the whole model that were made before (they are there already). A cut names the last two.
//
// Never inside of If, Loop and Scan: an operator with bodies is one operator, and what its bodies read is its input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/graph/graph.h"

namespace takt {

/// What some operators cost in all, by cost() of cost.h.
struct SummedCost {
  double flops = 0;  ///< transcendental functions count one each
  double bytes = 0;
  std::int64_t operators = 0;
  std::int64_t unknown = 0;  ///< so many of them have no known FLOPs or no known bytes: the sums are of the others
};

struct Cut {
  std::size_t place = 0;                ///< so many operators of RunOrder::ops stand before it
  std::vector<TensorId> tensors;        ///< made before and read after, ascending; none: the parts do not touch
  std::vector<TensorId> late_inputs;    ///< inputs of the model that are read after it, perhaps before it as well
  std::vector<TensorId> early_outputs;  ///< outputs of the model that are made before it; `tensors` may hold them, too
  std::optional<std::int64_t> bytes;    ///< of `tensors`; missing: the size of one is not known
  SummedCost before;
};

/// Every cut across at most `max_tensors` tensors whose element types are known, by place. Both sides of a cut, and
/// what lies between two of them, read something and make something that is wanted. Names of tensors do not matter;
/// types and sizes are those of `graph` (with_shapes() of shapes.h). Takes time linear in the graph, but for inputs and
/// outputs, which each cut looks through. Thread-safe.
std::vector<Cut> find_cuts(const Graph& graph, std::size_t max_tensors = 3);

/// Returns the summed cost of all operators that run in an inference.
SummedCost cost_of_run(const Graph& graph);

struct CutChoice {
  std::size_t pieces = 2;
  /// How many FLOPs the devices do in the time in which they move a byte: the work of an operator is its FLOPs or its
  /// bytes times this, whichever is more. The default is a guess for one core of a CPU.
  double flops_per_byte = 8;
  /// The largest piece may have so much more work than need be, where cuts are then smaller.
  double slack = 0.1;
};

/// Selects choice.pieces - 1 of `cuts` (from find_cuts()) so that the pieces have about equal work: minimises the work
/// of the largest piece and then, within choice.slack, the bytes that cross the cuts (the number of tensors where bytes
/// are unknown). Operators of unknown cost count as average ones. Throws Error(bad_input) if there are fewer than
/// choice.pieces - 1 cuts or a field of `choice` is out of range.
std::vector<Cut> choose_cuts(const Graph& graph, const std::vector<Cut>& cuts, const CutChoice& choice);

}  // namespace takt
