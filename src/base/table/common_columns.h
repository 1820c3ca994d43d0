// Columns that tables of several modules have: key, heading and meaning told once, so that a key means the same
// wherever it stands. What only tables of one file share stands in that file.
#pragma once

#include "base/table/table.h"

namespace takt::common {

inline constexpr ColumnText runtime{
    "runtime", "Runtime",
    "The inference runtime, as typed after --runtime; in the results of a run, the one that was used."};
inline constexpr ColumnText device{
    "device", "Device",
    "The device, as typed after --device; in the results of a run, the one that was used (sim:NAME is a simulated "
    "one); in a trace of another program, the accelerator's number there."};
inline constexpr ColumnText name{
    "name", "Operator",
    "The operator as the model names it; empty if a row combines several. A name in brackets is not an operator but a "
    "special row, such as [unattributed]."};
inline constexpr ColumnText type{
    "type", "Type", "The operator's type in the model; of a fused kernel, that of the operator with most of the work."};
inline constexpr ColumnText kernel{
    "kernel", "Kernel",
    "The runtime's name for the implementation that it ran; if it does not report one, the provider that ran it."};

inline constexpr ColumnText mean_us{
    "mean_us", "Mean",
    "Mean time of one run: of the model from the runtime's call to its return, of an operator within a run, of a "
    "stage's execution while no other stage ran. Runs with and without operator times are never mixed."};
inline constexpr ColumnText median_us{
    "median_us", "Median",
    "Median time of one run, of the model or of an operator within it. Linear interpolation between the two nearest "
    "ranks."};
inline constexpr ColumnText stddev_us{"stddev_us", "Std dev",
                                      "Sample standard deviation (n-1) of the runs' times; empty for a single run."};
inline constexpr ColumnText min_us{"min_us", "Min",
                                   "Time of the fastest run, of the model or of an operator within it."};
inline constexpr ColumnText p90_us{
    "p90_us", "p90",
    "90 % of the runs, of the model or of an operator within it, took less time. Linear interpolation between the two "
    "nearest ranks."};
inline constexpr ColumnText p99_us{
    "p99_us", "p99",
    "99 % of the runs, of the model or of an operator within it, took less time; empty with fewer than 300 runs, of "
    "which too few are beyond it (--percentiles 99 gives its interval)."};
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
inline constexpr ColumnText rank{"rank", "Rank", "Rank of the cause; 1 explains most of the lost time."};
inline constexpr ColumnText evidence{"evidence", "Evidence", "The measured values that support the cause."};
inline constexpr ColumnText fix{"fix", "Fix", "What to do about the cause."};
inline constexpr ColumnText count{
    "count", "Count", "Number of items in the row: operators combined in it, or places where a file breaks the rule."};

inline constexpr ColumnText makespan_us{
    "makespan_us", "Makespan",
    "The window of the pipeline's run: from the first start of an execution to the last end of one, on any device."};
inline constexpr ColumnText cycle_us{
    "cycle_us", "Cycle",
    "Time between two batches in steady state: the slope of the deliveries between warm-up and drain, 1 / throughput. "
    "Empty if too few batches were delivered there to show a pattern."};
inline constexpr ColumnText batches_per_s{
    "throughput_per_s", "Batches/s",
    "Batches delivered per second in steady state, between warm-up and drain: 1 / cycle."};
inline constexpr ColumnText latency_us{
    "latency_us", "Latency",
    "End-to-end latency of a batch, from its arrival (in a closed loop its admission) to its delivery: source wait + "
    "queue waits + copies + stage times + time blocked; of a whole run, the mean over its batches without warm-up."};
inline constexpr ColumnText bottleneck{
    "bottleneck", "Bottleneck",
    "The stage with the largest load; if a stage or device limits the cycle, the one that does. Empty without "
    "batches."};
inline constexpr ColumnText stage{"stage", "Stage",
                                  "Name of the pipeline's stage; in a pair of stages, the one that is slowed down."};
inline constexpr ColumnText beside{"beside", "Co-runner",
                                   "Name of the stage that runs concurrently with the first one."};
inline constexpr ColumnText executions{
    "executions", "Executions",
    "Executions of batches, or of parts of them, on the device or in the stage; where a stage's slowdown is measured, "
    "without warm-up."};
inline constexpr ColumnText factor{
    "factor", "Slowdown",
    "Time of the stage while the co-runner runs, divided by its time alone: measured, or estimated from the overlaps "
    "of a recorded run. Empty if the two hardly ever ran concurrently."};
inline constexpr ColumnText p_value{"p_value", "P value",
                                    "Share of random permutations of the durations that showed a slowdown as large."};

inline constexpr ColumnText meaning{"meaning", "Meaning",
                                    "Meaning of the column or row of a table, or of the rule that a trace breaks."};

}  // namespace takt::common
