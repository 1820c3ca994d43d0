// Generated values that decide what a model computes: which branch runs, how large tensors are. They are said, and made
// such that a model of this kind runs.
#pragma once

#include <string>
#include <vector>

#include "model/inputs/inputs.h"

namespace takt {

/// A sentence for each input of `graph` that is not in `choice.given` and whose values decide, in the model's order.
std::vector<std::string> deciding_inputs(const Graph& graph, const InputChoice& choice);

/// A sentence on the inputs that are not in `choice.given`, for a model that failed with generated values though none
/// decides: those of integers, truths and texts, or, where there are none, all. Empty: all are given.
std::vector<std::string> particular_inputs(const Graph& graph, const InputChoice& choice);

/// Changes generated values of `inputs` that would fit no model: the shape of a Reshape becomes {1,…,-1}, a few numbers
/// that say how large something is become 1, those of a Range 0 to 16, what is padded nothing; loops turn 16 times, and
/// texts are ones that the model knows.
void make_deciding_values(const Graph& graph, const InputChoice& choice, std::vector<HostTensor>& inputs);

}  // namespace takt
