// What tables of one run share: those of operators and of their types, of passes and of single runs.
#pragma once

#include "base/table/table.h"

namespace takt::operator_columns {

inline constexpr ColumnText pass{
    "pass", "Pass",
    "plain: runs without operator times, what a user of the model sees. profiled: runs with operator times; the "
    "operators table describes the profiled runs only. The two take turns."};

inline constexpr ColumnText share_percent{
    "share_percent", "Share %",
    "Time of the operator, or of all operators of the type, as a share of the run: of the plain run where there is one "
    "(plain_mean_us), else of the recorded runs."};
inline constexpr ColumnText plain_mean_us{
    "plain_mean_us", "Plain",
    "Mean time in a run whose operators nobody records: what was recorded without the cost of the records and, where "
    "records disturb much, from stretches of the model timed without any. Adds up to the mean of the plain runs; "
    "missing "
    "without them."};
inline constexpr ColumnText flops{
    "flops", "FLOPs",
    "Floating-point operations in one run, multiply and add counted apart; of a fused kernel or a type, the sum of its "
    "operators, missing where those of one are not known."};
inline constexpr ColumnText gflops_per_s{
    "gflops_per_s", "GFLOP/s",
    "Achieved floating-point rate in 10^9 operations per second: FLOPs divided by plain_mean_us, without plain runs by "
    "the mean time."};

inline constexpr NamedRow profiling{
    "[profiling]",
    "What the records of the operators cost in the recorded runs, from their difference to the plain ones; taken from "
    "the operators' times, so that the table adds up. There where it is more than noise."};
inline constexpr NamedRow unattributed{
    "[unattributed]",
    "Measured time that no operator claims, so that the table adds up; negative where operators overlap."};

}  // namespace takt::operator_columns
