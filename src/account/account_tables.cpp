// The columns of `takt pipeline run` and `takt pipeline analyze`, each with its meaning for `takt explain`.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "account/account.h"
#include "account/split_tables.h"
#include "core/common_columns.h"
#include "core/index.h"

namespace takt {
namespace {

Cell percent(Nanoseconds part, Nanoseconds whole) {
  if (whole.count() == 0) return {};
  return 100 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

Cell stage_name(const Accounts& accounts, std::optional<int> stage) {
  return stage ? Cell(accounts.stages[index(*stage)].name) : Cell();
}

using SummaryRow = const Accounts*;

constexpr Column<SummaryRow> summary_columns[] = {
    {"pipeline", "Pipeline", [](const SummaryRow& a) -> Cell { return a->name; }, "Name of the pipeline."},
    {"clock", "Clock", [](const SummaryRow& a) -> Cell { return std::string(a->virtual_clock ? "virtual" : "real"); },
     "virtual: the run was computed, nothing was waited for. real: it was measured."},
    {"batches", "Batches", [](const SummaryRow& a) -> Cell { return static_cast<std::int64_t>(a->batches.size()); },
     "Batches that were delivered."},
    {common::makespan_us, [](const SummaryRow& a) { return time_cell(a->window.length()); }},
    {common::cycle_us, [](const SummaryRow& a) { return optional_cell(a->cycle); }},
    {common::batches_per_s, [](const SummaryRow& a) { return optional_cell(a->throughput_per_s); }},
    {"overall_per_s", "Overall/s", [](const SummaryRow& a) { return optional_cell(a->overall_per_s); },
     "Batches per second over the whole run, with fill and drain: all batches divided by the makespan."},
    {"latency_mean_us", "Latency mean", [](const SummaryRow& a) { return optional_cell(a->latency.mean); },
     "Mean end-to-end latency of a batch: from its arrival (in a closed loop its admission) to its delivery."},
    {"latency_median_us", "Latency median", [](const SummaryRow& a) { return optional_cell(a->latency.median); },
     "Median end-to-end latency of a batch."},
    {"latency_p90_us", "Latency p90", [](const SummaryRow& a) { return optional_cell(a->latency.p90); },
     "90 % of the batches had a smaller end-to-end latency."},
    {"cycle_latency_mean_us", "Cycle latency mean",
     [](const SummaryRow& a) { return optional_cell(a->cycle_latency.mean); },
     "Mean cycle latency of a batch: of the longest of its stage times."},
    {common::bottleneck, [](const SummaryRow& a) { return stage_name(*a, a->bottleneck); }},
    {"margin_percent", "Margin %", [](const SummaryRow& a) { return a->margin ? Cell(*a->margin * 100) : Cell(); },
     "How much larger the bottleneck's load is than that of the second stage, as a share of the latter: what a faster "
     "bottleneck can gain before the second stage takes its place."},
    {"second", "Second", [](const SummaryRow& a) { return stage_name(*a, a->second); },
     "The stage with the second largest load, on another device where the bottleneck is a shared device."},
    {"path_coverage_percent", "Path %", [](const SummaryRow& a) { return percent(a->path.explained, a->path.length); },
     "The share of the time up to the last delivery that the critical path explains; less than 100 only where the "
     "run's records contradict each other."},
    {"interrupted", "Interrupted",
     [](const SummaryRow& a) -> Cell { return std::string(a->interrupted ? "yes" : "no"); },
     "yes: the run ended early; what was delivered is accounted for."},
};

constexpr Column<DeviceAccount> device_columns[] = {
    {common::device, [](const DeviceAccount& d) -> Cell { return d.name; }},
    {"wall_us", "Wall", [](const DeviceAccount& d) { return time_cell(d.wall); },
     "The window of the run, for the device: busy + starved + blocked + dispatch + fill and drain, exactly."},
    {common::busy_us, [](const DeviceAccount& d) { return time_cell(d.busy); }},
    {"starved_us", "Starved", [](const DeviceAccount& d) { return time_cell(d.starved); },
     "Time in which the device was idle because all its stages waited for input."},
    {"blocked_us", "Blocked", [](const DeviceAccount& d) { return time_cell(d.blocked); },
     "Time in which the device was idle while one of its stages held a batch that could not move on: the queue behind "
     "was full, or an earlier batch had to leave first."},
    {"dispatch_us", "Dispatch", [](const DeviceAccount& d) { return time_cell(d.dispatch); },
     "Time in which the device was idle although a batch, a replica, a request and room behind were there: scheduling "
     "overhead. 0 on the virtual clock."},
    {"fill_drain_us", "Fill, drain", [](const DeviceAccount& d) { return time_cell(d.fill + d.drain); },
     "Time in which the device was idle before the first batch had reached it and after its last batch had left."},
    {"fill_us", "Fill", [](const DeviceAccount& d) { return time_cell(d.fill); },
     "Time in which the device was idle before the first batch had reached it."},
    {"drain_us", "Drain", [](const DeviceAccount& d) { return time_cell(d.drain); },
     "Time in which the device was idle after its last batch had left."},
    {"utilisation_percent", "Busy %", [](const DeviceAccount& d) { return percent(d.busy, d.wall); },
     "The device's busy time as a share of its wall time; never above 100."},
    {"counter_percent", "Counters %",
     [](const DeviceAccount& d) { return d.hardware ? percent(*d.hardware, d.wall) : Cell(); },
     "Sum of the runtime's own counters as a share of the device's wall time. Above 100 where executions or their "
     "operators overlap; missing where the runtime has no counters."},
    {common::executions, [](const DeviceAccount& d) -> Cell { return d.executions; }},
    {"bubbles", "Bubbles", [](const DeviceAccount& d) -> Cell { return d.bubbles.count; },
     "Idle intervals of the device in the window."},
    {"bubble_mean_us", "Bubble mean", [](const DeviceAccount& d) { return optional_cell(d.bubbles.mean); },
     "Mean length of an idle interval of the device."},
    {"bubble_p90_us", "Bubble p90", [](const DeviceAccount& d) { return optional_cell(d.bubbles.p90); },
     "90 % of the device's idle intervals were shorter."},
    {"bubble_total_us", "Bubble total", [](const DeviceAccount& d) { return time_cell(d.bubbles.total); },
     "Length of all idle intervals of the device together: starved + blocked + dispatch + fill and drain."},
    {"penalty_us", "Penalty", [](const DeviceAccount& d) { return time_cell(d.penalty); },
     "Concurrency penalty of the device: execution time − the runtime's counters, summed over the executions that have "
     "counters."},
};

Cell per_execution(const std::optional<Nanoseconds>& total, std::int64_t count) {
  return total && count > 0 ? Cell(Duration(*total) / static_cast<double>(count)) : Cell();
}

constexpr Column<StageAccount> stage_columns[] = {
    {common::stage, [](const StageAccount& s) -> Cell { return s.name; }},
    {"devices", "Devices", [](const StageAccount& s) -> Cell { return s.devices; },
     "Devices on which the stage's replicas and parts ran."},
    {"replicas", "Replicas", [](const StageAccount& s) -> Cell { return std::int64_t{s.replicas}; },
     "Batches that may be in the stage at once, beside those in its queue."},
    {"parts", "Parts", [](const StageAccount& s) -> Cell { return std::int64_t{s.parts}; },
     "Parts into which a data-parallel stage divides a batch; 1 in an ordinary stage."},
    {"stage_batches", "Batches", [](const StageAccount& s) -> Cell { return s.time.count; },
     "Batches that passed the stage."},
    {stage_mean_us, [](const StageAccount& s) { return optional_cell(s.time.mean); }},
    {"stage_median_us", "Median", [](const StageAccount& s) { return optional_cell(s.time.median); },
     "Median stage time of a batch: from the start of execution to its completion, without the wait in the queue."},
    {"stage_p90_us", "p90", [](const StageAccount& s) { return optional_cell(s.time.p90); },
     "90 % of the stage times of batches, from the start of execution to its completion, were shorter."},
    {"stage_total_us", "Total", [](const StageAccount& s) { return time_cell(s.time.total); },
     "Sum of the stage times of all batches."},
    {"load_us", "Load", [](const StageAccount& s) -> Cell { return s.time.count > 0 ? Cell(s.load) : Cell(); },
     "The time between batches that the stage allows: mean stage time over replicas; not less than what the stages of "
     "a device with a bounded number of requests need of the device together."},
    {"queue_mean_us", "Queue", [](const StageAccount& s) { return optional_cell(s.queue_wait.mean); },
     "Mean wait of a batch in the queue in front of the stage."},
    {"queue_p90_us", "Queue p90", [](const StageAccount& s) { return optional_cell(s.queue_wait.p90); },
     "90 % of the waits of batches in the queue in front of the stage were shorter."},
    {"held_mean_us", "Held", [](const StageAccount& s) { return optional_cell(s.blocked.mean); },
     "Mean time that a batch which was done could not leave the stage: the queue behind was full, or an earlier batch "
     "had to leave first."},
    {"hardware_mean_us", "Hardware", [](const StageAccount& s) { return per_execution(s.hardware, s.counted); },
     "Mean time of an execution by the runtime's own counters; missing where the runtime has none."},
    {"penalty_mean_us", "Penalty", [](const StageAccount& s) { return per_execution(s.penalty, s.counted); },
     "Mean concurrency penalty of an execution of the stage: its time − its counters."},
    {"alone_mean_us", "Alone mean", [](const StageAccount& s) { return optional_cell(s.alone); },
     "Mean time of the stage's executions beside which nothing else ran; missing where there was none."},
    {"slowed_mean_us", "Slowed mean", [](const StageAccount& s) { return optional_cell(s.slowed); },
     "Concurrency penalty against the stage itself: mean time of its executions − the mean time of those that ran "
     "alone."},
    {"marshalling_mean_us", "Marshalling mean",
     [](const StageAccount& s) { return per_execution(s.marshalling, s.counted); },
     "Mean time that an execution of the stage spent in input, reorder and convert nodes: data brought into another "
     "form."},
    {"bytes_moved", "Bytes moved", [](const StageAccount& s) { return optional_cell(s.bytes_moved); },
     "Bytes that takt copied to hand the stage's tensors on, over all executions."},
};

struct BatchLine {
  const Accounts* accounts;
  std::size_t number;
  const BatchAccount& batch() const { return accounts->batches[number]; }
};

constexpr Column<BatchLine> batch_columns[] = {
    {batch_number, [](const BatchLine& b) -> Cell { return static_cast<std::int64_t>(b.number); }},
    {"admitted_us", "Admitted",
     [](const BatchLine& b) { return time_cell(b.batch().admitted - b.accounts->window.begin); },
     "When the batch entered the first queue, as time from the begin of the run's window."},
    {"delivered_us", "Delivered",
     [](const BatchLine& b) { return time_cell(b.batch().delivered - b.accounts->window.begin); },
     "When the batch was delivered, as time from the begin of the run's window."},
    {common::latency_us, [](const BatchLine& b) { return time_cell(b.batch().latency()); }},
    {"cycle_latency_us", "Cycle latency", [](const BatchLine& b) { return time_cell(b.batch().cycle); },
     "Cycle latency of the batch: the longest of its stage times."},
    {"slowest_stage", "Slowest", [](const BatchLine& b) { return stage_name(*b.accounts, b.batch().slowest); },
     "The stage in which the batch spent the longest of its stage times."},
    {"source_wait_us", "Source wait",
     [](const BatchLine& b) { return time_cell(b.batch().admitted - b.batch().arrived); },
     "Time from the batch's arrival at an open source until it was admitted."},
    {"queue_wait_us", "Queue wait", [](const BatchLine& b) { return time_cell(b.batch().queue_wait); },
     "Time that the batch waited in the queues in front of all stages together."},
    {"held_us", "Held", [](const BatchLine& b) { return time_cell(b.batch().blocked); },
     "Time in which the batch was done in a stage and could not leave, all stages together."},
};

constexpr ColumnText stage_time_of{"stage_time_us.STAGE", "STAGE",
                                   "Stage time of the batch in the stage that the key names after its point: from the "
                                   "start of execution to its completion."};

/// One column per stage: its name is part of the column's.
void add_stage_times(Table& table, const Accounts& accounts) {
  for (std::size_t s = 0; s < accounts.stages.size(); ++s) {
    const std::string& name = accounts.stages[s].name;
    table.columns.push_back({"stage_time_us." + name, name, std::string(stage_time_of.meaning)});
    for (std::size_t b = 0; b < table.rows.size(); ++b)
      table.rows[b].push_back(time_cell(accounts.stage_times[b * accounts.stages.size() + s]));
  }
}

constexpr std::array<std::string_view, 5> activity_names{"run", "partition", "merge", "dispatch", "source"};
constexpr std::array<std::string_view, 7> binding_names{"data",  "replica",   "request", "room",
                                                        "order", "in flight", "end"};

struct PathLine {
  const Accounts* accounts;
  const PathShare* share;
};

constexpr NamedRow source_row[] = {
    {"[source]", "Time of the critical path in which no batch had come to the pipeline's source yet."},
};

constexpr Column<PathLine> path_columns[] = {
    {"path_stage", "Stage",
     [](const PathLine& p) -> Cell {
       return p.share->stage < 0 ? Cell(std::string(source_row[0].name)) : stage_name(*p.accounts, p.share->stage);
     },
     "The stage in which the row's part of the critical path lies."},
    {"activity", "Activity",
     [](const PathLine& p) -> Cell { return std::string(activity_names[static_cast<std::size_t>(p.share->activity)]); },
     "What the time of the row's part of the critical path went into: run, partition or merge of a batch; dispatch: "
     "all was there and the next thing had not begun; source: no batch had come."},
    {"path_device", "Device",
     [](const PathLine& p) -> Cell {
       if (p.share->device >= 0) return p.accounts->devices[index(p.share->device)].name;
       const bool on_host = p.share->activity == PathActivity::partition || p.share->activity == PathActivity::merge;
       return on_host ? Cell(std::string("host")) : Cell();
     },
     "The device, or the host, on which the row's part of the critical path ran; missing of the source and of "
     "dispatch."},
    {"binding", "Binding",
     [](const PathLine& p) -> Cell { return std::string(binding_names[static_cast<std::size_t>(p.share->binding)]); },
     "Why the part of the critical path behind the row's could not begin sooner: data (it needed the result), replica "
     "(all replicas of the stage held a batch), request (the device ran as much as it may), room (the queue behind was "
     "full), order (an earlier batch had to leave first), in flight (no more batches were let in), end (of the run)."},
    {"path_count", "Count", [](const PathLine& p) -> Cell { return p.share->count; },
     "Number of stretches of the critical path that the row stands for."},
    {"path_us", "Time", [](const PathLine& p) { return time_cell(p.share->total); },
     "Time of the row's part of the critical path; the column adds up to the time of the last delivery."},
    {"blame_percent", "Blame %", [](const PathLine& p) { return percent(p.share->total, p.accounts->path.length); },
     "Share of the critical path: by how much the run would be shorter, at most, if the row's part of it took no "
     "time."},
};

constexpr TableDefinition<SummaryRow> summary_definition{"summary", "The pipeline's run as a whole: one row.",
                                                         summary_columns};
constexpr TableDefinition<DeviceAccount> devices_definition{
    "devices", "Where each device's time went: a row per device. Busy and idle time add up to the window of the run.",
    device_columns};
constexpr TableDefinition<StageAccount> stages_definition{"stages", "What each stage took: a row per stage.",
                                                          stage_columns};
constexpr TableDefinition<BatchLine> batches_definition{
    "batches",
    "Where each batch's latency went: a row per batch. Source wait, queue "
    "waits, stage times and time held add up to the latency.",
    batch_columns};
constexpr TableDefinition<PathLine> critical_path_definition{
    "critical_path",
    "What the run was long for, walked back from the last delivery: a "
    "row per stage, activity, device and binding. Adds up to the time of "
    "the last delivery.",
    path_columns, source_row};

TableSchema batches_schema() {
  TableSchema schema = batches_definition.schema();
  schema.columns.push_back(
      {std::string(stage_time_of.name), std::string(stage_time_of.title), std::string(stage_time_of.meaning)});
  return schema;
}

Table batches_table(const Accounts& accounts) {
  std::vector<BatchLine> lines;
  for (std::size_t b = 0; b < accounts.batches.size(); ++b) lines.push_back({&accounts, b});
  Table table = batches_definition.make(lines);
  add_stage_times(table, accounts);
  return table;
}

Table path_table(const Accounts& accounts) {
  std::vector<PathLine> lines;
  for (const PathShare& share : accounts.path.shares) lines.push_back({&accounts, &share});
  return critical_path_definition.make(lines);
}

}  // namespace

std::vector<Table> tables(const Accounts& accounts) {
  const SummaryRow row[] = {&accounts};
  std::vector<Table> list;
  list.push_back(summary_definition.make(row));
  list.push_back(devices_definition.make(accounts.devices));
  list.push_back(stages_definition.make(accounts.stages));
  list.push_back(batches_table(accounts));
  list.push_back(parts_table(accounts));
  list.push_back(splits_table(accounts));
  list.push_back(path_table(accounts));
  return list;
}

std::vector<TableSchema> account_schemas() {
  std::vector<TableSchema> list{summary_definition.schema(), devices_definition.schema(), stages_definition.schema(),
                                batches_schema()};
  for (auto& schema : split_schemas()) list.push_back(std::move(schema));
  list.push_back(critical_path_definition.schema());
  return list;
}

}  // namespace takt
