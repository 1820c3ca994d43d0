// What ran in a stretch of the program's time, by name: so that a verdict can say where to look.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "training/steps/activity.h"

namespace takt {

struct PlaceName {
  bool is_operator = false;  ///< an operator has most of it
  std::string key;           ///< the same for the same place of every step
  std::string shown;         ///< "'preprocess'", "cudaMemcpyAsync", "between aten::add_ and aten::linear"
};

/// For each stretch, in order of their starts: the innermost annotation or Python function that has most of it; else
/// the operator or call that has; else what came before it and after it.
std::vector<PlaceName> names_of_places(const Trace& trace, const Activity& activity,
                                       std::span<const TimeInterval> stretches);

}  // namespace takt
