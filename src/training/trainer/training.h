// A scenario's training, from its settings to its trace.
#pragma once

#include <functional>

#include "training/scenario/trainer_process.h"

namespace takt {

/// Trains on this process's device; `on_step` hears how many steps are done, of how many. Throws Error(unsupported)
/// where libtorch has no GPU and one was asked for, and whatever libtorch throws.
TrainingRun train(const TrainerTask& task, const std::function<void(int done, int total)>& on_step);

}  // namespace takt
