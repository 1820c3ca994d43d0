// Stages that are not the same throughout: in the course of the run, or from device to device.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pipeline/account/account.h"

namespace takt {

/// `times` are a stage's, batch by batch, without warm-up. Its first and last fifth are compared by their medians. A
/// drift is a quarter or more, of which the middle fifth has a part, and beyond the scatter: three quarters of one fifth
/// are below three quarters of the other. nullopt: none, or fewer than 50 batches.
std::optional<StageDrift> drift_of(std::span<const std::int64_t> times);

/// nullopt without executions.
std::optional<Duration> mean_execution(const ShareAccount& share);

/// Fills `others` of shares, which are by device and stage, of stages that do not split their batches.
void compare_devices(const PipelineRun& run, std::vector<ShareAccount>& shares);

}  // namespace takt
