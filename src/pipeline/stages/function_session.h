// A stage that is a function of the program, as a session whose requests call it. For stage_executor.cpp only.
#pragma once

#include <memory>

#include "model/runtime/runtime.h"
#include "takt/stage_executor.h"

namespace takt {

/// A session without ports. Each request calls `function` on a thread of its own; the processor time of the call is the
/// total of its operators. Throws Error(bad_input) where `function` is empty.
std::unique_ptr<Session> function_session(StageFunction function, const StageFunctionSettings& settings);

}  // namespace takt
