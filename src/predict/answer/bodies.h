// The time of what If, Loop and Scan run inside.
#pragma once

#include <string>
#include <vector>

#include "predict/answer/predictor.h"
#include "predict/collect/bench.h"

namespace takt {

/// Adds what bodies take to their kernels and to the model: of Loop and Scan their turns, of If the branch that takes
/// longer, where the shorter one is the lower end. Each turn may cost as much as a call of the runtime, at most. Of a
/// loop that nobody knows the count of, one turn is added, none at the lower end, and the upper end is infinite.
void add_bodies(const Predictor& predictor, const ModelFacts& facts, ModelPrediction& prediction);

/// What a reader has to know of the bodies, a sentence each; `is_open` ones make the prediction a lower bound.
struct BodyNote {
  std::string text;
  bool is_open = false;
};
std::vector<BodyNote> notes_on_bodies(const Predictor& predictor, const ModelFacts& facts);

}  // namespace takt
