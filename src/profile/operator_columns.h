// What tables of one run share: those of operators and of their types, of passes and of single runs.
#pragma once

#include "core/table.h"

namespace takt::operator_columns {

inline constexpr ColumnText pass{
    "pass", "Pass",
    "plain: runs without operator times, what a user of the model sees. profiled: runs with operator times; the "
    "operators table describes the profiled runs only. The two take turns."};

inline constexpr ColumnText share_percent{
    "share_percent", "Share %",
    "Total time of the operator, or of all operators of the type, as a share of the measured time of all profiled "
    "runs."};
inline constexpr ColumnText flops{
    "flops", "FLOPs",
    "Floating-point operations in one run, multiply and add counted apart; of a fused kernel or a type, the sum of its "
    "operators, missing where those of one are not known."};
inline constexpr ColumnText gflops_per_s{
    "gflops_per_s", "GFLOP/s",
    "Achieved floating-point rate in 10^9 operations per second: FLOPs divided by the mean time."};

inline constexpr NamedRow unattributed{
    "[unattributed]",
    "Measured time that no operator claims, so that the table adds up; negative where operators overlap."};

}  // namespace takt::operator_columns
