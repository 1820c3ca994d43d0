// takt's own ways into a stage executor (takt/stage_executor.h): over a session that is open already.
#pragma once

#include <memory>

#include "runtime/runtime.h"
#include "takt/stage_executor.h"

namespace takt {

struct RunSettings;

/// The part of them that opening a model asks for. Throws Error(bad_input) for an input that cannot be read.
RunSettings run_settings(const StageExecutorSettings& settings);

/// Over a session whose inputs are set; kept with its runtime, which may be null where the session needs none.
std::unique_ptr<StageExecutor> executor_over(std::unique_ptr<Runtime> runtime, std::unique_ptr<Session> session,
                                             const StageExecutorSettings& settings);

}  // namespace takt
