// Rows that were measured in several rounds, each a pass over all rows of the sweep.
//
// Problem: a machine has a pace of the minute, and memory its luck with each process: of one model, processes that ran
// one after the other took 34 to 56 ms on a busy host, each hardly varying in itself. A planner that compares rows
// measured in one go each picks those that had luck. Idea: each row gets its samples in rounds that are as far apart as
// the sweep is long, so that a bad minute is a part of many rows instead of all of a few, and the means of rounds tell
// how sure a row is.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/sweep/stage_task.h"

namespace takt {

/// Returns how many of `iterations` belong to round `round` (1 to `rounds`). Rounds differ by one at most and add up to
/// `iterations`.
std::int64_t iterations_of_round(std::int64_t iterations, int round, int rounds);

/// One record per row, in the order in which rows first appear. Samples follow each other by rounds; of the copies'
/// times the middle one counts. A row with a round that failed or was refused is that record; one whose rounds ran on
/// different devices, runtimes or precisions has failed, too. Rounds that are not there yet are not missed.
std::vector<StageRecord> whole_rows(const std::vector<StageRecord>& by_round);

}  // namespace takt
