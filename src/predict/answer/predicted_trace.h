// The timeline that a prediction draws: kernels one after another, as a runtime executes them.
#pragma once

#include <vector>

#include "predict/answer/evaluate.h"
#include "trace/events/trace.h"

namespace takt {

/// A process per model, with a row of its kernels and, where it is above zero, the overhead behind them; arguments say
/// where each number is from and how far off it may be.
Trace predicted_trace(const std::vector<PredictedModel>& models);

}  // namespace takt
