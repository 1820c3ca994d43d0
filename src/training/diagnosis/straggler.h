// What ranks do to each other: one or several that take longer make all others wait; or each step another one does.
#pragma once

#include "training/diagnosis/diagnosis.h"

namespace takt {

/// Matches the steps of the ranks, by number where they have marks, and compares their own work in them: all of a step
/// but communication, as a rank that is early waits there. Gives a verdict to ranks that are slower in most steps, to
/// those that wait for them, or to all where the work is uneven; communication keeps as its price what moving the data
/// takes. A rank that is late once only, at the beginning, is said as a late start. With one rank of several the rule
/// abstains. `world_size`: ranks of the training as the traces tell, by trace; nullopt: not told.
void look_for_stragglers(std::vector<Diagnosis>& diagnoses, const std::vector<std::optional<std::int64_t>>& world_size);

}  // namespace takt
