// Sessions that compute at the same time on the processors of this machine.
//
// OpenVINO binds the threads of every session to the first cores, as if it were alone: two sessions would share a core
// while others are idle. ONNX Runtime's threads spin while they wait for work, and hold cores that others need.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt {

/// Threads of the processors that a session on `device` takes: `threads` of a CPU's, where nullopt is the runtime's
/// choice; another device is asked by one.
std::optional<int> threads_of_session(const std::string& device, std::optional<int> threads);

/// Throws Error(bad_input) for a name or value that no runtime knows, naming the nearest.
void check_tuning(const Tuning& tuning);

/// For each of several sessions, of so many threads. Where there is a core for every thread, each session gets its own;
/// else none is bound, and none spins. A session that is alone is left as it is.
Tuning tuning_together(const std::vector<std::optional<int>>& threads);

}  // namespace takt
