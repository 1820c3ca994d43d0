#include "training/diagnosis/figure_tables.h"

#include <array>

#include "base/basics/check.h"
#include "base/table/common_columns.h"
#include "trace/events/gpu_time.h"
#include "training/figures/device_figures.h"
#include "training/figures/work_tables.h"
#include "training/steps/step_path.h"

namespace takt {
namespace {

/// A figure, and whose it is.
template <typename Figure>
struct FigureRow {
  std::string file, place;  // place: device, stream, kernel or call
  Figure figure;
};
struct LinkMean {
  PathLink link{};
  double mean = 0, share = 0;  // nanoseconds per step, of all steps' time
};
struct ChangeRow {
  StepPart part{};
  std::optional<double> before, after;  // nanoseconds per step
};

constexpr ColumnText step_share{"step_share", "Step share", step_share_meaning};
constexpr ColumnText stream{"stream", "Stream", "Stream of a device; its work runs in order."};

template <typename Row>
Cell mean_cell(const Row& r, Nanoseconds total) {
  return Duration(static_cast<double>(total.count()) / 1000 / static_cast<double>(r.figure.count));
}

std::string_view kind_of_work(Role role) {
  if (role == Role::kernel) return "compute";
  return role == Role::communication ? "communication" : "memory";
}

Cell change_cell(const ChangeRow& r) {
  if (!r.before || !r.after) return {};
  return Duration((*r.after - *r.before) / 1000);
}
Cell nanoseconds_cell(const std::optional<double>& time) { return time ? Cell(Duration(*time / 1000)) : Cell(); }

constexpr Column<FigureRow<GpuTime>> temporal_columns[] = {
    {common::trace_file, [](const FigureRow<GpuTime>& r) -> Cell { return r.file; }},
    {common::device, [](const FigureRow<GpuTime>& r) -> Cell { return r.place; }},
    {common::total_us, [](const FigureRow<GpuTime>& r) -> Cell { return Duration(r.figure.total); }},
    {common::device_idle_us, [](const FigureRow<GpuTime>& r) -> Cell { return Duration(r.figure.idle); }},
    {common::device_compute_us, [](const FigureRow<GpuTime>& r) -> Cell { return Duration(r.figure.compute); }},
    {common::device_non_compute_us, [](const FigureRow<GpuTime>& r) -> Cell { return Duration(r.figure.non_compute); }},
};

constexpr Column<FigureRow<StreamIdle>> idle_columns[] = {
    {common::trace_file, [](const FigureRow<StreamIdle>& r) -> Cell { return r.file; }},
    {stream, [](const FigureRow<StreamIdle>& r) -> Cell { return r.place; }},
    {"host_wait_us", "Host wait", [](const FigureRow<StreamIdle>& r) -> Cell { return Duration(r.figure.host_wait); },
     "Idle time of a stream before work that was launched only after the previous work was done."},
    {"kernel_wait_us", "Between kernels",
     [](const FigureRow<StreamIdle>& r) -> Cell { return Duration(r.figure.kernel_wait); },
     "Idle time of a stream in gaps below 30 µs before work that was launched in time: overhead of the device between "
     "kernels."},
    {"other_wait_us", "Other wait", [](const FigureRow<StreamIdle>& r) -> Cell { return Duration(r.figure.other); },
     "Idle time of a stream in longer gaps before work that was launched in time, or whose launch is not in the "
     "trace."},
};

constexpr Column<FigureRow<KernelTotal>> kernel_columns[] = {
    {common::trace_file, [](const FigureRow<KernelTotal>& r) -> Cell { return r.file; }},
    {"work", "Device work", [](const FigureRow<KernelTotal>& r) -> Cell { return r.place; },
     "Name of what runs on a device: a kernel, a copy or a fill."},
    {"work_kind", "Kind",
     [](const FigureRow<KernelTotal>& r) -> Cell { return std::string(kind_of_work(r.figure.role)); },
     "compute, communication (NCCL, RCCL) or memory (copies and fills)."},
    {"times", "Count", [](const FigureRow<KernelTotal>& r) -> Cell { return r.figure.count; },
     "Number of executions or calls in the whole trace."},
    {"work_us", "Total", [](const FigureRow<KernelTotal>& r) -> Cell { return Duration(r.figure.total); },
     "Total time of its executions on devices."},
    {"mean_work_us", "Mean work", [](const FigureRow<KernelTotal>& r) { return mean_cell(r, r.figure.total); },
     "Mean time of its executions on a device."},
    {"longest_us", "Longest", [](const FigureRow<KernelTotal>& r) -> Cell { return Duration(r.figure.longest); },
     "Time of the longest execution on a device."},
};

constexpr Column<FigureRow<LaunchTotal>> launch_columns[] = {
    {common::trace_file, [](const FigureRow<LaunchTotal>& r) -> Cell { return r.file; }},
    {"call", "Call", [](const FigureRow<LaunchTotal>& r) -> Cell { return r.place; },
     "Call of the device runtime that launches work."},
    {"times", "Count", [](const FigureRow<LaunchTotal>& r) -> Cell { return r.figure.count; },
     "Number of executions or calls in the whole trace."},
    {"mean_call_us", "Mean call", [](const FigureRow<LaunchTotal>& r) { return mean_cell(r, r.figure.calls); },
     "Mean time of the call in the program."},
    {"mean_work_us", "Mean work", [](const FigureRow<LaunchTotal>& r) { return mean_cell(r, r.figure.work); },
     "Mean time of its executions on a device."},
    {"mean_delay_us", "Mean delay", [](const FigureRow<LaunchTotal>& r) { return mean_cell(r, r.figure.delay); },
     "Mean time from the end of the call to the start of its work."},
    {"short_kernels", "Short kernels", [](const FigureRow<LaunchTotal>& r) -> Cell { return r.figure.short_kernels; },
     "Number of calls that took longer than the work that they launched."},
};

constexpr Column<FigureRow<CommunicationOverlap>> overlap_columns[] = {
    {common::trace_file, [](const FigureRow<CommunicationOverlap>& r) -> Cell { return r.file; }},
    {"all_communication_us", "Communication",
     [](const FigureRow<CommunicationOverlap>& r) -> Cell { return Duration(r.figure.communication); },
     "Time in which at least one device communicates, regardless of what else it does."},
    {"hidden_us", "Hidden", [](const FigureRow<CommunicationOverlap>& r) -> Cell { return Duration(r.figure.hidden); },
     "Time in which a device communicates while a kernel computes."},
    {"hidden_share", "Hidden share",
     [](const FigureRow<CommunicationOverlap>& r) -> Cell {
       return static_cast<double>(r.figure.hidden.count()) / static_cast<double>(r.figure.communication.count());
     },
     "Fraction of the communication time that is hidden, 0 to 1."},
};

constexpr Column<FigureRow<StreamQueue>> queue_columns[] = {
    {common::trace_file, [](const FigureRow<StreamQueue>& r) -> Cell { return r.file; }},
    {stream, [](const FigureRow<StreamQueue>& r) -> Cell { return r.place; }},
    {"longest_queue", "Longest queue", [](const FigureRow<StreamQueue>& r) -> Cell { return r.figure.longest; },
     "Maximum number of kernels, copies and fills of a stream that were launched and had not started; at 1024 a launch "
     "waits for a free slot."},
    {"mean_queue", "Mean queue", [](const FigureRow<StreamQueue>& r) -> Cell { return r.figure.mean; },
     "Mean number over time of kernels, copies and fills of a stream that were launched and had not started."},
};

constexpr Column<FigureRow<LinkMean>> path_columns[] = {
    {common::trace_file, [](const FigureRow<LinkMean>& r) -> Cell { return r.file; }},
    {"link", "Segment", [](const FigureRow<LinkMean>& r) -> Cell { return r.place; },
     "Kind of segment on the critical path of training steps: kernel, memory_copy, communication; launch_delay (from a "
     "launch to its work on a free device), device_gap (between two pieces of device work), wait_return (from the end "
     "of work to the return of the call that waited for it); data_wait, launch; scalar_read (operators that read a "
     "value), tiny_operators (kinds that typically take less than 20 µs), memory_operators (that allocate memory and "
     "do little else), host_compute (all other operators), host_other (the program)."},
    {"mean_on_path_us", "Path time",
     [](const FigureRow<LinkMean>& r) -> Cell { return Duration(r.figure.mean / 1000); },
     "Mean time per training step on the critical path; the segments add up to the mean step."},
    {step_share, [](const FigureRow<LinkMean>& r) -> Cell { return r.figure.share; }},
};

constexpr Column<ChangeRow> change_columns[] = {
    {"spent_on", "Activity", [](const ChangeRow& r) -> Cell { return std::string(name_of(r.part)); }, activity_meaning},
    {"first_trace_us", "First", [](const ChangeRow& r) { return nanoseconds_cell(r.before); },
     "Mean time of the activity in a step of the first trace."},
    {"second_trace_us", "Second", [](const ChangeRow& r) { return nanoseconds_cell(r.after); },
     "Mean time of the activity in a step of the second trace."},
    {"change_us", "Change", [](const ChangeRow& r) { return change_cell(r); },
     "How much longer the activity takes in a step of the second trace; empty if one of the two cannot show it."},
};

constexpr TableDefinition<FigureRow<GpuTime>> temporal_definition{
    "temporal", "Idle, compute and other time of each device: a row per trace and device.", temporal_columns};
constexpr TableDefinition<FigureRow<StreamIdle>> idle_definition{
    "idle", "Why streams are idle between pieces of work: a row per trace and stream.", idle_columns};
constexpr TableDefinition<FigureRow<KernelTotal>> kernels_definition{
    "kernels", "What runs on devices, longest first: a row per trace and name.", kernel_columns};
constexpr TableDefinition<FigureRow<LaunchTotal>> launch_definition{
    "launch", "Cost of launching work: a row per trace and call.", launch_columns};
constexpr TableDefinition<FigureRow<CommunicationOverlap>> overlap_definition{
    "overlap", "How much of the communication is hidden: a row per trace that communicates.", overlap_columns};
constexpr TableDefinition<FigureRow<StreamQueue>> queue_definition{
    "queue", "How much work waits on devices: a row per trace and stream.", queue_columns};
constexpr TableDefinition<FigureRow<LinkMean>> path_definition{
    "path", "The critical path of training steps by kind of segment: a row per trace and kind that it has.",
    path_columns};
constexpr TableDefinition<ChangeRow> comparison_definition{
    "comparison", "What changed in a mean step between two traces: a row per activity.", change_columns};

std::string row_name(const Trace& trace, RowId id) {
  const TraceRow& row = trace.rows()[static_cast<std::size_t>(id)];
  const TraceProcess& process = trace.processes()[static_cast<std::size_t>(row.process)];
  const std::string name = row.name.empty() ? "stream " + std::to_string(row.tid) : row.name;
  return process.name.empty() ? name : process.name + " " + name;
}

template <typename Figure, typename Place>
Table figure_table(const TableDefinition<FigureRow<Figure>>& definition, std::span<const NamedTrace> traces,
                   const std::vector<std::vector<Figure>>& figures, Place place) {
  std::vector<FigureRow<Figure>> rows;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    for (const Figure& figure : figures[i])
      rows.push_back({traces[i].file, place(traces[i].read.trace, figure), figure});
  }
  return definition.make(rows);
}

/// What `ask` finds in each trace.
template <typename Ask>
auto of_each(const std::vector<Activity>& activities, Ask ask) {
  std::vector<decltype(ask(activities.front()))> all;
  for (const Activity& activity : activities) all.push_back(ask(activity));
  return all;
}

std::vector<LinkMean> path_of(const Activity& activity) {
  const Steps steps = find_steps(activity);
  std::array<double, path_link_count> sums{};
  double all = 0;
  for (const auto& step : step_paths(activity, steps)) {
    for (std::size_t i = 0; i < path_link_count; ++i) {
      sums[i] += static_cast<double>(step[i]);
      all += static_cast<double>(step[i]);
    }
  }
  std::vector<LinkMean> path;
  for (std::size_t i = 0; i < path_link_count; ++i) {
    if (sums[i] > 0)
      path.push_back({static_cast<PathLink>(i), sums[i] / static_cast<double>(steps.list.size()), sums[i] / all});
  }
  return path;
}

Table figure_named(std::string_view name, std::span<const NamedTrace> traces, const std::vector<Activity>& activities) {
  if (auto table = work_table(name, traces, activities)) return *std::move(table);
  const auto on_row = [](const Trace& trace, const auto& figure) { return row_name(trace, figure.row); };
  if (name == "temporal") {
    std::vector<std::vector<GpuTime>> times;
    for (const NamedTrace& named : traces) times.push_back(gpu_times(named.read.trace));
    return figure_table(temporal_definition, traces, times,
                        [](const Trace&, const GpuTime& time) { return time.device; });
  }
  if (name == "idle") return figure_table(idle_definition, traces, of_each(activities, stream_idle), on_row);
  if (name == "kernels") {
    return figure_table(kernels_definition, traces, of_each(activities, kernel_totals),
                        [](const Trace& trace, const KernelTotal& total) { return trace.text(total.name); });
  }
  if (name == "launch") {
    return figure_table(launch_definition, traces, of_each(activities, launch_totals),
                        [](const Trace& trace, const LaunchTotal& total) { return trace.text(total.call); });
  }
  if (name == "queue") return figure_table(queue_definition, traces, of_each(activities, stream_queues), on_row);
  if (name == "path") {
    return figure_table(path_definition, traces, of_each(activities, path_of),
                        [](const Trace&, const LinkMean& link) { return std::string(name_of(link.link)); });
  }
  TAKT_CHECK(name == "overlap");
  const auto overlaps_of = [](const Activity& activity) {
    const auto overlap = communication_overlap(activity);
    return overlap ? std::vector{*overlap} : std::vector<CommunicationOverlap>{};
  };
  return figure_table(overlap_definition, traces, of_each(activities, overlaps_of),
                      [](const Trace&, const CommunicationOverlap&) { return std::string(); });
}

std::optional<double> mean_of_part(const Diagnosis& one, StepPart part) {
  if (!one.breakdown.applies[static_cast<std::size_t>(part)]) return std::nullopt;
  return static_cast<double>(one.breakdown.sum(part)) / static_cast<double>(one.steps.list.size());
}

}  // namespace

const std::vector<std::string>& figure_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{"temporal", "idle", "kernels", "launch", "overlap", "queue", "path"};
    all.insert(all.end(), work_table_names().begin(), work_table_names().end());
    return all;
  }();
  return names;
}

std::vector<Table> figure_tables(std::span<const NamedTrace> traces, std::span<const std::string> names) {
  std::vector<Activity> activities;
  for (const NamedTrace& named : traces) {
    if (!names.empty()) activities.push_back(activity_of(named.read.trace));
  }
  std::vector<Table> tables;
  for (const std::string& name : names) tables.push_back(figure_named(name, traces, activities));
  return tables;
}

Table comparison_table(const Diagnosis& before, const Diagnosis& after) {
  std::vector<ChangeRow> rows;
  for (std::size_t i = 0; i < step_part_count; ++i) {
    const auto part = static_cast<StepPart>(i);
    const ChangeRow row{part, mean_of_part(before, part), mean_of_part(after, part)};
    if (row.before || row.after) rows.push_back(row);
  }
  return comparison_definition.make(rows);
}

std::vector<TableSchema> figure_schemas() {
  std::vector<TableSchema> schemas{temporal_definition.schema(), idle_definition.schema(),
                                   kernels_definition.schema(),  launch_definition.schema(),
                                   overlap_definition.schema(),  queue_definition.schema(),
                                   path_definition.schema(),     comparison_definition.schema()};
  for (TableSchema& schema : work_table_schemas()) schemas.push_back(std::move(schema));
  return schemas;
}

}  // namespace takt
