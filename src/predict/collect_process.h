// The child of a collection from its parent's side.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "predict/collect_record.h"

namespace takt {

/// Starts `command` with the task and waits for its record; one that crashes or takes longer than `limit` gives a
/// failed record with the reason. nullopt: stopped. Throws Error(io) where it cannot be started and Error(bad_input)
/// for an answer that is no record of this task.
std::optional<CollectRecord> run_collect_process(const std::vector<std::string>& command, const CollectTask& task,
                                                 Nanoseconds limit, const std::atomic<bool>* stop);

}  // namespace takt
