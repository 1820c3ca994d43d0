// Columns that several tables about plans have: key, heading and meaning told once (see core/common_columns.h).
#pragma once

#include "base/table/table.h"

namespace takt::plan_columns {

inline constexpr ColumnText rank{
    "plan_rank", "Rank",
    "The place of a plan among those that a search found, by the objective; missing for plans that stand beside them."};
inline constexpr ColumnText role{
    "role", "Role",
    "Why a plan is in the list: found by the search, single (the best that uses one unit and whole batches), or the "
    "name of a plan that was given."};
inline constexpr ColumnText plan{
    "plan", "Plan",
    "The blocks of a plan, separated by |: the units of a block, its stages in brackets and, where several units "
    "divide its batches, their shares."};
inline constexpr ColumnText objective{
    "objective", "Objective",
    "What the search minimised: latency (of a batch that is alone) or, for throughput, the makespan of a stream."};
inline constexpr ColumnText stream_batches{"stream_batches", "Batches", "How many batches the stream has."};
inline constexpr ColumnText units{"units", "Units", "The units that plans may use."};
inline constexpr ColumnText switch_cost_ms{
    "switch_cost_ms", "Change ms",
    "What a change from one plan to another takes, in ms: the pipeline runs empty, the other models are made ready."};

}  // namespace takt::plan_columns
