// Columns that several tables about plans have: key, heading and meaning told once (see base/table/common_columns.h).
#pragma once

#include "base/table/table.h"

namespace takt::plan_columns {

inline constexpr ColumnText rank{
    "plan_rank", "Rank",
    "The rank of a plan among those that the search found, by the objective; empty for other plans."};
inline constexpr ColumnText role{"role", "Role",
                                 "Why a plan is listed: found by the search, single (the best plan that uses one unit "
                                 "and whole batches), or the name of a given plan."};
inline constexpr ColumnText plan{"plan", "Plan",
                                 "The blocks of a plan, separated by |: the units of a block, its stages in brackets "
                                 "and, if its batches are split over several units, their shares."};
inline constexpr ColumnText objective{
    "objective", "Objective",
    "What the search minimised: latency (of a single batch) or, for throughput, the makespan of a stream."};
inline constexpr ColumnText stream_batches{"stream_batches", "Batches", "The number of batches in the stream."};
inline constexpr ColumnText units{"units", "Units", "The units that plans may use."};
inline constexpr ColumnText switch_cost_ms{
    "switch_cost_ms", "Switch ms",
    "The time to switch from one plan to another, in ms: the pipeline drains and the other models are prepared."};

}  // namespace takt::plan_columns
