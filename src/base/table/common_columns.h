// Columns that tables of several modules have: key, heading and meaning told once, so that a key means the same
// wherever it stands. What only tables of one file share stands in that file.
#pragma once

#include "base/table/table.h"

namespace takt::common {

inline constexpr ColumnText runtime{
    "runtime", "Runtime",
    "The inference runtime, as typed after --runtime; in the results of a run, the one that really ran."};
inline constexpr ColumnText device{
    "device", "Device",
    "The device, as typed after --device; in the results of a run, the one that really ran (sim:NAME is a simulated "
    "one); in a trace of another program, the accelerator's number there."};
inline constexpr ColumnText name{
    "name", "Operator",
    "The operator as the model names it; missing where a row combines several. A name in brackets is no operator but a "
    "row of its own, such as [unattributed]."};
inline constexpr ColumnText type{
    "type", "Type", "The operator's type in the model; of a fused kernel, that of the operator with most of the work."};
inline constexpr ColumnText kernel{
    "kernel", "Kernel",
    "What the runtime calls the implementation that it ran; where it does not tell, the provider that ran it."};

inline constexpr ColumnText mean_us{
    "mean_us", "Mean",
    "Mean time of one run: of the model from the runtime's call to its return, of an operator within a run, of a "
    "stage's execution while no other stage ran. Runs with and without operator times are never mixed."};
inline constexpr ColumnText median_us{
    "median_us", "Median",
    "Median time of one run, of the model or of an operator within it. Linear interpolation between the two nearest "
    "ranks."};
inline constexpr ColumnText stddev_us{"stddev_us", "Std dev",
                                      "Sample standard deviation (n-1) of the runs' times; missing for a single run."};
inline constexpr ColumnText min_us{"min_us", "Min",
                                   "Time of the fastest run, of the model or of an operator within it."};
inline constexpr ColumnText p90_us{
    "p90_us", "p90",
    "90 % of the runs, of the model or of an operator within it, took less time. Linear interpolation between the two "
    "nearest ranks."};
inline constexpr ColumnText p99_us{"p99_us", "p99",
                                   "99 % of the runs, of the model or of an operator within it, took less time; with "
                                   "fewer than 100 runs that is close "
                                   "to the slowest."};
inline constexpr ColumnText max_us{"max_us", "Max",
                                   "Time of the slowest run, of the model or of an operator within it."};
inline constexpr ColumnText total_us{
    "total_us", "Total",
    "Total time. Of an operator, over all profiled runs: the column adds up to the measured time of the profiled runs "
    "exactly. Of a device in a trace, from its first event to the end of its last: idle + compute + non-compute, "
    "exactly."};
inline constexpr ColumnText busy_us{"busy_us", "Busy",
                                    "Time in which at least one execution ran on the device, or one event on the row "
                                    "of a trace; nested and overlapping ones count once."};
inline constexpr ColumnText device_idle_us{"idle_us", "Idle", "Time in which nothing ran on the device."};
inline constexpr ColumnText device_compute_us{
    "compute_us", "Compute",
    "Time in which at least one computing kernel ran on the device; overlapping ones count once."};
inline constexpr ColumnText device_non_compute_us{
    "non_compute_us", "Non-compute", "Time in which only communication, copies or fills ran on the device."};
inline constexpr ColumnText trace_file{"file", "File", "The trace file, as named on the command line."};
inline constexpr ColumnText rank{"rank", "Rank", "Place of the cause; 1 explains most of the time lost."};
inline constexpr ColumnText evidence{"evidence", "Evidence", "The figures that speak for the cause."};
inline constexpr ColumnText fix{"fix", "Fix", "What to do about the cause."};
inline constexpr ColumnText count{
    "count", "Count", "How many the row stands for: operators combined in it, or places where a file breaks the rule."};

inline constexpr ColumnText makespan_us{
    "makespan_us", "Makespan",
    "The window of the pipeline's run: from the first start of an execution to the last end of one, on any device."};
inline constexpr ColumnText cycle_us{
    "cycle_us", "Cycle",
    "Time between two batches in steady state: the slope of the deliveries between warm-up and drain, 1 / throughput. "
    "Missing where so few batches were delivered there that no pattern can be told."};
inline constexpr ColumnText batches_per_s{
    "throughput_per_s", "Batches/s",
    "Batches delivered per second in steady state, between warm-up and drain: 1 / cycle."};
inline constexpr ColumnText latency_us{
    "latency_us", "Latency",
    "End-to-end latency of a batch, from its arrival (in a closed loop its admission) to its delivery: source wait + "
    "queue waits + copies + stage times + time held; of a whole run, the mean over its batches without warm-up."};
inline constexpr ColumnText bottleneck{
    "bottleneck", "Bottleneck",
    "The stage with the largest load: where a stage or device binds, the one that keeps the cycle from being shorter; "
    "missing without batches."};
inline constexpr ColumnText stage{"stage", "Stage",
                                  "Name of the pipeline's stage; in a pair of stages, the one that is slowed down."};
inline constexpr ColumnText beside{"beside", "Beside",
                                   "Name of the stage that runs at the same time as the first one."};
inline constexpr ColumnText executions{
    "executions", "Executions",
    "Executions of batches, or of parts of them, on the device or in the stage; where a stage's slow-down is measured, "
    "warm-up left out."};
inline constexpr ColumnText factor{"factor", "Slow-down",
                                   "How many times as long the stage takes while the one beside it runs: measured, or "
                                   "estimated from the overlaps of a recorded run. Missing where the two hardly ever "
                                   "ran at once."};
inline constexpr ColumnText p_value{"p_value", "P value",
                                    "Share of random permutations of the durations that showed a slow-down as large."};

inline constexpr ColumnText meaning{
    "meaning", "What it means", "What the column or row of a table means, or what the rule that a trace breaks says."};

}  // namespace takt::common
