// One step among many that took far longer than the others: an accident, which is told and is no cause.
#pragma once

#include <cstdint>
#include <optional>

#include "training/steps/breakdown.h"

namespace takt {

struct LongStep {
  std::int64_t number = 0;  ///< of the step
  std::int64_t length = 0;  ///< nanoseconds
  double times = 0;         ///< as long as half of the steps are at most
  StepPart part{};          ///< on which it spent most of its time
  double share = 0;         ///< of its time
};

/// The longest step where it is at least three times as long as the median, and no other is; of fewer than 5 steps
/// none.
std::optional<LongStep> find_long_step(const Steps& steps, const Breakdown& breakdown);

}  // namespace takt
