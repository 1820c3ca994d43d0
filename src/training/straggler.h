// Stragglers: a rank that takes longer than the others makes all of them wait.
#pragma once

#include "training/diagnosis/diagnosis.h"

namespace takt {

/// Adds the verdict to the diagnosis of the slowest rank, where its own work (all of a step but communication, which is
/// waiting there) takes over 10 % longer than the median of the ranks'. With one rank of several the rule abstains.
/// `world_size`: ranks of the training as the traces tell, by trace; nullopt: not told.
void look_for_stragglers(std::vector<Diagnosis>& diagnoses, const std::vector<std::optional<std::int64_t>>& world_size);

}  // namespace takt
