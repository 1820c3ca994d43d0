// A prediction beside a load: that of a quiet machine, times what the load makes of it.
#pragma once

#include <span>
#include <string>

#include "predict/answer/predictor.h"

namespace takt {

/// Throws Error(unsupported) for a predictor that was trained in quiet only.
void check_knows_loads(const Predictor& predictor);

/// By the most certain law whose figures were all seen; `kernels` are those of the prediction. Without such a law the
/// prediction stays that of a quiet machine and its interval reaches up as far as any load that was trained on, or five
/// times, whichever is more; LoadShare::from is empty then. Throws as check_knows_loads(). Thread-safe.
ModelPrediction beside_load(const Predictor& predictor, ModelPrediction prediction,
                            std::span<const KernelFacts> kernels, const SeenLoad& seen);

/// "probe: probe_wait_ratio 1.02 (0.00 in quiet) …", the law in words.
std::string sentence_of(const LoadLaw& law);

}  // namespace takt
