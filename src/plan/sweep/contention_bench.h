// The measuring of contention itself, in the process that a sweep starts for one device.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/sweep/contention_task.h"

namespace takt {

/// The names of what loads press on: of simulated devices what they share, else the machine's own.
std::vector<std::string> resources_of(const ContentionTask& task);

/// The levels of loads that a task runs its stages beside.
LoadPlan load_plan_of(const ContentionTask& task);

/// What the child does: measures each stage of the task in `json`, or the loads, and gives the record to `tell` as soon
/// as it is there. `load_command` starts a process that calls run_load(). Returns its exit code: 0 all measured, 1 some
/// not, as their records say.
int run_contention_task(std::string_view json, const std::vector<std::string>& load_command,
                        const std::function<void(const std::string& line)>& tell);

}  // namespace takt
