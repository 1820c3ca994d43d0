// The child of a collection from its parent's side.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "predict/collect/record.h"

namespace takt {

/// Starts `command` with the task and waits for its record; one that crashes or takes longer than `limit` gives a
/// failed record with the reason. nullopt: stopped. With `when_ready` the child waits for it before it runs the model,
/// which is open and warm by then. Throws Error(io) where it cannot be started, Error(bad_input) for an answer that is
/// no record of this task, and what `when_ready` throws.
std::optional<CollectRecord> run_collect_process(const std::vector<std::string>& command, const CollectTask& task,
                                                 Nanoseconds limit, const std::atomic<bool>* stop,
                                                 const std::function<void()>& when_ready = {});

}  // namespace takt
