// What tables of one run share: those of operators and of their types, of passes and of single runs.
#pragma once

#include "base/table/table.h"

namespace takt::operator_columns {

inline constexpr ColumnText pass{
    "pass", "Pass",
    "plain: runs without operator times, what a user of the model sees. profiled: runs with operator times; the "
    "operators table describes the profiled runs only. The two are interleaved."};

inline constexpr ColumnText share_percent{
    "share_percent", "Share %",
    "Time of the operator, or of all operators of the type, as a share of the run: of the plain run (plain_mean_us) if "
    "there is one, else of the profiled runs."};
inline constexpr ColumnText plain_mean_us{
    "plain_mean_us", "Time",
    "Mean time in a run without profiling: the profiled time without the profiling overhead and, where that overhead "
    "is large, derived from segments of the model that are timed without profiling. Adds up to the mean of the plain "
    "runs; empty without plain runs."};
inline constexpr ColumnText flops{
    "flops", "FLOPs",
    "Floating-point operations in one run, where a multiplication and an addition count as two; for a fused kernel or "
    "a type, the sum over its operators, empty if one of them is unknown."};
inline constexpr ColumnText gflops_per_s{
    "gflops_per_s", "GFLOP/s",
    "Achieved floating-point rate in 10^9 operations per second: FLOPs divided by plain_mean_us, without plain runs by "
    "the mean time."};

inline constexpr NamedRow profiling{
    "[profiling]",
    "Profiling overhead in the profiled runs, from their difference to the plain runs; subtracted from the operators' "
    "times, so that the table adds up. Present if it is more than noise."};
inline constexpr NamedRow unattributed{
    "[unattributed]",
    "Measured time that no operator claims, so that the table adds up; negative where operators overlap."};

}  // namespace takt::operator_columns
