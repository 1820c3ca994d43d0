// What one run of a model has in memory, as far as its graph says.
#pragma once

#include <cstdint>
#include <optional>

#include "model/graph/graph.h"

namespace takt {

/// Bytes of the constants that the model's file holds, those of bodies too, each once. nullopt: the size of one is not
/// known (strings).
std::optional<std::int64_t> weight_bytes(const Graph& graph);

/// The most bytes that live at once of tensors that are no weights, over the operators in the graph's order: the
/// model's inputs all the time, its outputs from the operator that makes them to the end, the others from that operator
/// to the last one that reads them, also from within a body. While an operator with bodies runs, the largest of these
/// lives too. Each tensor has memory of its own: nothing is guessed of views, of results in the place of an input, or
/// of tensors that a fused kernel never makes, so a runtime mostly needs less; what its kernels need besides is not in
/// it. nullopt: the size of one is not known.
std::optional<std::int64_t> activation_peak_bytes(const Graph& graph);

}  // namespace takt
