// What a run was really computed in, by its kernels, and what a quantised model leaves in floating point.
#pragma once

#include <string>
#include <vector>

#include "measure/open/run_result.h"

namespace takt {

/// Sentences over the profiled runs of `result`: the types that kernels computed in, by time, where they are several or
/// another one than the model's; and of a model with quantised activations the convolutions, products and recurrences
/// that ran in floating point, why, and what to try. Empty: nothing to say, no profiled run, or the runtime does not
/// tell types.
std::vector<std::string> computed_notes(const RunResult& result);

}  // namespace takt
