// The child of a sweep from its parent's side.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "plan/sweep/stage_task.h"

namespace takt {

struct StageProcessLimits {
  Nanoseconds row{};                        ///< that a row may take
  const std::atomic<bool>* stop = nullptr;  ///< true: the user has had enough
};

/// Starts `command` with the task and gives each row to `keep` as it comes; a row that the child owes when it crashes
/// or hangs is a failed one with the reason. Returns how many of the task's sizes are done; fewer than all where the
/// rest needs a new process. At least one, unless stopped. Throws Error(io) where the child cannot be started and
/// Error(bad_input) for an answer that is no row of this task.
std::size_t run_stage_process(const std::vector<std::string>& command, const StageTask& task,
                              const StageProcessLimits& limits, const std::function<void(const StageRecord&)>& keep);

}  // namespace takt
