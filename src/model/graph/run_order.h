// The operators of a model that run in an inference, in the one order that cuts are made in.
//
// Three kinds of operators are told apart. Those that make the same of constants each time (Constant, a transposed
// weight) run when a model is loaded: they belong to whoever reads them and have no place in the order. Those whose
// results reach no output are left out, as every runtime does. The rest has the file's order, but for operators that no
// input of the model reaches (a random mask): they stand right before the first one that reads them, so that what they
// make is not carried past operators that do not need it.
#pragma once

#include <cstddef>
#include <vector>

#include "model/graph/graph.h"

namespace takt {

struct RunOrder {
  std::vector<int> ops;                      ///< places in graph.ops; each stands behind all those that it reads from
  std::vector<bool> from_input;              ///< by place in `ops`: a value of a model input reaches it
  std::vector<bool> at_load;                 ///< by place in graph.ops: makes the same of constants each time
  std::vector<std::vector<TensorId>> reads;  ///< by place in graph.ops: see read_tensors() in dag.h
  std::vector<int> producers;                ///< by TensorId: the place in graph.ops of who makes it; -1: none
};

/// Whether `op` itself may make something else each time it runs (a Dropout does while a model is trained).
bool draws_random_numbers(const Op& op);

/// Takes time linear in the graph, but for a sort. Thread-safe.
RunOrder run_order(const Graph& graph);

}  // namespace takt
