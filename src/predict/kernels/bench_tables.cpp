#include <span>

#include "base/statistics/statistics.h"
#include "predict/kernels/bench.h"
#include "predict/kernels/tables.h"

namespace takt {
namespace {

template <typename Figure>
Cell figure_of(const KernelTimes& times, const Figure& figure) {
  const auto summary = summarize(std::span<const Nanoseconds>(times.samples));
  return summary ? figure(*summary) : Cell();
}

/// Missing where nothing was measured.
Cell clock_cell(const KernelTimes& times, Nanoseconds moment) {
  return times.samples.empty() ? Cell() : Cell(std::int64_t{moment.count()});
}

constexpr Column<KernelTimes> times_columns[] = {
    {kernel_columns::record, [](const KernelTimes& r) -> Cell { return r.id.empty() ? Cell() : Cell(r.id); }},
    {kernel_columns::name, [](const KernelTimes& r) -> Cell { return r.name; }},
    {kernel_columns::node, [](const KernelTimes& r) -> Cell { return r.kernel.empty() ? Cell() : Cell(r.kernel); }},
    {"bench_place", "Place", [](const KernelTimes& r) -> Cell { return std::string(bench_place_name(r.place)); },
     "Context in which a kernel was timed: alone in a loop, in a chain after its producers, or inside its model."},
    {"kernel_mean_us", "Mean",
     [](const KernelTimes& r) { return figure_of(r, [](const Summary& s) -> Cell { return s.mean; }); },
     "Mean time of one execution of the kernel."},
    {"kernel_median_us", "Median",
     [](const KernelTimes& r) { return figure_of(r, [](const Summary& s) -> Cell { return s.median; }); },
     "Median time of the executions of the kernel."},
    {"kernel_min_us", "Min",
     [](const KernelTimes& r) { return figure_of(r, [](const Summary& s) -> Cell { return s.min; }); },
     "Time of the fastest execution of the kernel."},
    {"kernel_stddev_us", "Std dev",
     [](const KernelTimes& r) { return figure_of(r, [](const Summary& s) { return optional_cell(s.stddev); }); },
     "Sample standard deviation (n-1) of the kernel's executions; empty for a single one."},
    {"kernel_executions", "Executions",
     [](const KernelTimes& r) -> Cell { return static_cast<std::int64_t>(r.samples.size()); },
     "Number of measured executions of the kernel."},
    {"bench_start_ns", "Start", [](const KernelTimes& r) { return clock_cell(r, r.started); },
     "Start of the kernel's measured executions: nanoseconds since 1970-01-01 UTC."},
    {"bench_end_ns", "End", [](const KernelTimes& r) { return clock_cell(r, r.ended); },
     "End of the kernel's measured executions: nanoseconds since 1970-01-01 UTC."},
    {"bench_problem", "Problem", [](const KernelTimes& r) { return optional_cell(r.problem); },
     "Why the kernel has no times."},
};

constexpr TableDefinition<KernelTimes> times_definition{
    "kernel_times", "Measured times of kernels: a row per kernel and context.", times_columns};

}  // namespace

std::vector<Table> bench_tables(const std::vector<KernelTimes>& times) { return {times_definition.make(times)}; }

std::vector<TableSchema> bench_schemas() { return {times_definition.schema()}; }

}  // namespace takt
