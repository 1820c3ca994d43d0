// Which operators of the model each executed kernel stands for.
//
// Runtimes tell the names that survive their optimisations, and those are neither unique (a change of layout carries
// the name of the kernel it serves) nor complete (OpenVINO forgets the convolution when it folds a scale into it). So
// names are settled in two steps: an operator belongs to one row, and one that no row claims joins the row that
// computes it: heavy operators (Conv, MatMul…) the row that consumes their result, others the row that produces their
// input. Without the second step a fused convolution would be shown with the FLOPs of its normalisation.
#pragma once

#include <vector>

#include "model/graph/graph.h"

namespace takt {

struct OpRow;

/// Leaves each operator to one of the rows that claim it: the first that computes something, or else the first. Times
/// do not matter: the same kernels of the same model give the same rows in every run.
void settle_ownership(std::vector<OpRow>& rows);

/// Adds operators that no row claims to the row they are fused into; those between several rows stay unclaimed. Does
/// nothing where the runtime has settled what each kernel computes.
void adopt_unclaimed(const Graph& graph, std::vector<OpRow>& rows);

}  // namespace takt
