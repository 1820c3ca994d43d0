// The columns of `takt pipeline run` and `takt pipeline analyze`, each with its meaning for `takt explain`.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/basics/check.h"
#include "base/basics/index.h"
#include "base/table/common_columns.h"
#include "pipeline/account/account.h"
#include "pipeline/account/binding.h"
#include "pipeline/account/cells.h"
#include "pipeline/account/path_tables.h"
#include "pipeline/account/split_tables.h"
#include "pipeline/account/uneven.h"

namespace takt {
namespace {

using SummaryRow = const Accounts*;

Cell dropped_cell(const Accounts& a) {
  if (!a.logged) return {};
  std::int64_t count = 0;
  for (const auto& here : a.logged->dropped) count += here.batches;
  return count;
}

constexpr Column<SummaryRow> summary_columns[] = {
    {"pipeline", "Pipeline", [](const SummaryRow& a) -> Cell { return a->name; }, "Name of the pipeline."},
    {"clock", "Clock", [](const SummaryRow& a) -> Cell { return std::string(a->virtual_clock ? "virtual" : "real"); },
     "virtual: the run was simulated. real: the run was measured."},
    {"batches", "Batches", [](const SummaryRow& a) -> Cell { return static_cast<std::int64_t>(a->batches.size()); },
     "Batches that were delivered."},
    {common::makespan_us, [](const SummaryRow& a) { return time_cell(a->window.length()); }},
    {common::cycle_us, [](const SummaryRow& a) { return optional_cell(a->cycle); }},
    {common::batches_per_s, [](const SummaryRow& a) { return optional_cell(a->throughput_per_s); }},
    {"overall_per_s", "Overall/s", [](const SummaryRow& a) { return optional_cell(a->overall_per_s); },
     "Batches per second over the whole run, including fill and drain: all batches divided by the makespan."},
    {"latency_mean_us", "Latency mean", [](const SummaryRow& a) { return optional_cell(a->latency.mean); },
     "Mean end-to-end latency of a batch: from its arrival (in a closed loop its admission) to its delivery, excluding "
     "warm-up."},
    {"latency_median_us", "Latency median", [](const SummaryRow& a) { return optional_cell(a->latency.median); },
     "Median end-to-end latency of a batch, excluding warm-up."},
    {"latency_p90_us", "Latency p90", [](const SummaryRow& a) { return optional_cell(a->latency.p90); },
     "90 % of the batches had a smaller end-to-end latency, excluding warm-up."},
    {"latency_p99_us", "Latency p99", [](const SummaryRow& a) { return optional_cell(a->latency.p99); },
     "99 % of the batches had a smaller end-to-end latency, excluding warm-up."},
    {"latency_max_us", "Latency max", [](const SummaryRow& a) { return optional_cell(a->latency.max); },
     "Largest end-to-end latency of a batch, excluding warm-up."},
    {"source_wait_mean_us", "Source wait mean", [](const SummaryRow& a) { return optional_cell(a->source_wait.mean); },
     "Mean time from a batch's arrival at an open source until it was admitted, included in its latency; empty in a "
     "closed loop, where batches arrive when they are admitted."},
    {"source_wait_max_us", "Source wait max", [](const SummaryRow& a) { return optional_cell(a->source_wait.max); },
     "Longest time from a batch's arrival at an open source until it was admitted."},
    {"arrivals_per_s", "Arrivals/s", [](const SummaryRow& a) { return optional_cell(a->arrivals_per_s); },
     "Batches per second that arrived at an open source, excluding warm-up; of a program's own trace, those that its "
     "first stage took, where the source binds or batches were dropped. Empty in a closed loop."},
    {"dropped_batches", "Dropped", [](const SummaryRow& a) { return dropped_cell(*a); },
     "Batches that ended in a stage from which others went on, as in a leaky queue. They are in the times of devices "
     "and in nothing else. Empty if takt ran the pipeline itself, which drops none."},
    {"wait_growth", "Wait growth",
     [](const SummaryRow& a) { return a->overload ? Cell(a->overload->wait_growth) : Cell(); },
     "Growth of the wait at an overloaded source, in seconds per second; empty if it does not grow."},
    {"cycle_latency_mean_us", "Cycle latency mean",
     [](const SummaryRow& a) { return optional_cell(a->cycle_latency.mean); },
     "Mean over batches of the longest stage time of each batch, excluding warm-up."},
    {bound_by,
     [](const SummaryRow& a) { return a->bindings.main ? Cell(binder_name(*a, *a->bindings.main)) : Cell(); }},
    {common::bottleneck, [](const SummaryRow& a) { return stage_name(*a, a->bottleneck); }},
    {"margin_percent", "Margin %", [](const SummaryRow& a) { return a->margin ? Cell(*a->margin * 100) : Cell(); },
     "How much larger the bottleneck's period is than that of the second stage, as a share of the latter: the most "
     "that a faster bottleneck can gain before the second stage becomes the bottleneck."},
    {"second", "Second", [](const SummaryRow& a) { return stage_name(*a, a->second); },
     "The stage with the second largest period; on another device if the bottleneck is a shared device."},
    {"path_coverage_percent", "Path coverage %",
     [](const SummaryRow& a) { return percent(a->path.explained, a->path.length); },
     "The share of the time up to the last delivery that the critical path explains; less than 100 only if the "
     "recorded times contradict each other."},
    {"warmup_batches", "Warm-up", [](const SummaryRow& a) -> Cell { return a->warmup; },
     "Batches at the beginning that are excluded from all means, percentiles and periods."},
    {"interrupted", "Interrupted",
     [](const SummaryRow& a) -> Cell { return std::string(a->interrupted ? "yes" : "no"); },
     "yes: the run ended early; the tables cover the batches that were delivered."},
};

constexpr Column<DeviceAccount> device_columns[] = {
    {common::device, [](const DeviceAccount& d) -> Cell { return d.name; }},
    {"wall_us", "Wall", [](const DeviceAccount& d) { return time_cell(d.wall); },
     "The window of the run on the device: busy + copy + sync + starved + blocked + dispatch + fill and drain, "
     "exactly."},
    {common::busy_us, [](const DeviceAccount& d) { return time_cell(d.busy); }},
    {"copy_us", "Copy", [](const DeviceAccount& d) { return time_cell(d.copy); },
     "Time in which the device was idle while takt copied the tensors of an execution, before it or after it. Copies "
     "concurrent with an execution are busy time."},
    {"sync_us", "Sync", [](const DeviceAccount& d) { return time_cell(d.sync); },
     "Time in which the device was idle while a stage that is split over it and other devices worked on a batch: it "
     "waited for the partition, the merge or the part of another device."},
    {"starved_us", "Starved", [](const DeviceAccount& d) { return time_cell(d.starved); },
     "Time in which the device was idle because all its stages waited for input."},
    {"blocked_us", "Blocked", [](const DeviceAccount& d) { return time_cell(d.blocked); },
     "Time in which the device was idle while one of its stages held a batch that could not leave: the downstream "
     "queue was full, or an earlier batch had to leave first."},
    {"dispatch_us", "Dispatch", [](const DeviceAccount& d) { return time_cell(d.dispatch); },
     "Time in which the device was idle although a batch, a replica, a request and downstream queue space were "
     "available: scheduling overhead. 0 on the virtual clock."},
    {"fill_drain_us", "Fill, drain", [](const DeviceAccount& d) { return time_cell(d.fill + d.drain); },
     "Time in which the device was idle before the first batch entered one of its stages and after the last batch left "
     "them."},
    {"fill_us", "Fill", [](const DeviceAccount& d) { return time_cell(d.fill); },
     "Time in which the device was idle before the first batch entered one of its stages."},
    {"drain_us", "Drain", [](const DeviceAccount& d) { return time_cell(d.drain); },
     "Time in which the device was idle after the last batch left its stages."},
    {"utilisation_percent", "Busy %", [](const DeviceAccount& d) { return percent(d.busy, d.wall); },
     "The device's busy time as a share of its wall time; never above 100."},
    {"counter_percent", "Counters %",
     [](const DeviceAccount& d) { return d.hardware ? percent(*d.hardware, d.wall) : Cell(); },
     "Sum of the runtime's own counters as a share of the device's wall time. Above 100 if executions or their "
     "operators overlap; empty if the runtime has no counters."},
    {common::executions, [](const DeviceAccount& d) -> Cell { return d.executions; }},
    {"bubbles", "Bubbles", [](const DeviceAccount& d) -> Cell { return d.bubbles.count; },
     "Idle intervals of the device in the window."},
    {"bubble_mean_us", "Bubble mean", [](const DeviceAccount& d) { return optional_cell(d.bubbles.mean); },
     "Mean length of an idle interval of the device."},
    {"bubble_p90_us", "Bubble p90", [](const DeviceAccount& d) { return optional_cell(d.bubbles.p90); },
     "90 % of the device's idle intervals were shorter."},
    {"bubble_total_us", "Bubble total", [](const DeviceAccount& d) { return time_cell(d.bubbles.total); },
     "Length of all idle intervals of the device together: copy + sync + starved + blocked + dispatch + fill and "
     "drain."},
    {"penalty_us", "Penalty", [](const DeviceAccount& d) { return time_cell(d.penalty); },
     "Concurrency penalty of the device: execution time − the runtime's counters, summed over the executions that have "
     "counters."},
};

Cell per_execution(const std::optional<Nanoseconds>& total, std::int64_t count) {
  return total && count > 0 ? Cell(Duration(*total) / static_cast<double>(count)) : Cell();
}

Cell drift_cell(const StageAccount& stage) {
  return stage.drift ? Cell((stage.drift->last / stage.drift->first - 1) * 100) : Cell();
}

struct DeviceStageLine {
  const Accounts* accounts;
  const ShareAccount* share;
};

constexpr Column<DeviceStageLine> device_stage_columns[] = {
    {common::device, [](const DeviceStageLine& l) -> Cell { return l.accounts->devices[index(l.share->device)].name; }},
    {common::stage, [](const DeviceStageLine& l) -> Cell { return l.accounts->stages[index(l.share->stage)].name; }},
    {common::executions, [](const DeviceStageLine& l) -> Cell { return l.share->executions; }},
    {"stage_busy_us", "Stage busy", [](const DeviceStageLine& l) { return time_cell(l.share->busy); },
     "Time in which at least one execution of the stage ran on the device. The stages of a device add up to its busy "
     "time where it runs one execution at a time, and to more where they overlap."},
    {"stage_busy_percent", "Stage busy %",
     [](const DeviceStageLine& l) { return percent(l.share->busy, l.accounts->window.length()); },
     "The stage's busy time on the device as a share of the device's wall time."},
    {"execution_mean_us", "Execution", [](const DeviceStageLine& l) { return optional_cell(mean_execution(*l.share)); },
     "Mean time of an execution of the stage on the device, including warm-up."},
};

constexpr Column<StageAccount> stage_columns[] = {
    {common::stage, [](const StageAccount& s) -> Cell { return s.name; }},
    {"devices", "Devices", [](const StageAccount& s) -> Cell { return s.devices; },
     "Devices on which the stage's replicas and parts ran."},
    {"replicas", "Replicas", [](const StageAccount& s) -> Cell { return std::int64_t{s.replicas}; },
     "Batches that may be in the stage at the same time, not counting those in its queue."},
    {"parts", "Parts", [](const StageAccount& s) -> Cell { return std::int64_t{s.parts}; },
     "Parts into which a data-parallel stage splits a batch; 1 in an ordinary stage."},
    {"stage_batches", "Batches", [](const StageAccount& s) -> Cell { return s.batches; },
     "Batches that passed the stage, including warm-up."},
    {"first_us", "First batch", [](const StageAccount& s) { return time_cell(s.first); },
     "Stage time of the first batch, which is excluded from all means as warm-up; empty without warm-up."},
    {stage_mean_us, [](const StageAccount& s) { return optional_cell(s.time.mean); }},
    {"stage_median_us", "Median", [](const StageAccount& s) { return optional_cell(s.time.median); },
     "Median stage time of a batch: from the start of execution to its completion, without the wait in the queue, "
     "excluding warm-up."},
    {"stage_p90_us", "p90", [](const StageAccount& s) { return optional_cell(s.time.p90); },
     "90 % of the stage times of batches, from the start of execution to its completion, were shorter, excluding "
     "warm-up."},
    {"stage_total_us", "Total", [](const StageAccount& s) { return time_cell(s.total); },
     "Sum of the stage times of all batches, including warm-up."},
    {"load_us", "Period", [](const StageAccount& s) -> Cell { return s.time.count > 0 ? Cell(s.load) : Cell(); },
     "The shortest time between batches that the stage allows: mean stage time / replicas; at least the time that all "
     "stages of a device with a bounded number of requests need of it per batch."},
    {"queue_mean_us", "Queue", [](const StageAccount& s) { return optional_cell(s.queue_wait.mean); },
     "Mean wait of a batch in the stage's input queue, without the copy of its tensors, excluding warm-up."},
    {"queue_p90_us", "Queue p90", [](const StageAccount& s) { return optional_cell(s.queue_wait.p90); },
     "90 % of the waits of batches in the stage's input queue were shorter, excluding warm-up."},
    {"copy_mean_us", "Copy", [](const StageAccount& s) { return optional_cell(s.copy.mean); },
     "Mean time of a batch in which takt copied its tensors to or from the stage, not included in queue wait, stage "
     "time or blocked time; empty if the run has no copies."},
    {"held_mean_us", "Blocked", [](const StageAccount& s) { return optional_cell(s.blocked.mean); },
     "Mean time for which a completed batch could not leave the stage: the downstream queue was full, or an earlier "
     "batch had to leave first; excluding warm-up."},
    {"hardware_mean_us", "Hardware", [](const StageAccount& s) { return per_execution(s.hardware, s.counted); },
     "Mean time of an execution by the runtime's own counters; empty if the runtime has none."},
    {"penalty_mean_us", "Penalty", [](const StageAccount& s) { return per_execution(s.penalty, s.counted); },
     "Mean concurrency penalty of an execution of the stage: its time − its counters."},
    {"alone_mean_us", "Alone mean", [](const StageAccount& s) { return optional_cell(s.alone); },
     "Mean time of the stage's executions while nothing else ran; empty if there was none."},
    {"drift_percent", "Drift %", [](const StageAccount& s) { return drift_cell(s); },
     "Median stage time of the last fifth of the batches, compared with the first fifth, as a change; empty where it "
     "is less than 25 % or within the variation, and below 50 batches."},
    {"slowed_mean_us", "Slower than alone", [](const StageAccount& s) { return optional_cell(s.slowed); },
     "Concurrency penalty against the stage itself: mean time of its executions − the mean time of those that ran "
     "alone."},
    {"marshalling_mean_us", "Marshalling mean",
     [](const StageAccount& s) { return per_execution(s.marshalling, s.marshalled); },
     "Mean time in which the data of an execution of the stage was converted or copied: the runtime's input, reorder "
     "and convert nodes, and the copies that takt made."},
    {"bytes_moved", "Bytes moved", [](const StageAccount& s) { return optional_cell(s.bytes_moved); },
     "Bytes that takt copied to pass the stage's tensors on, over all executions."},
};

std::int64_t own_number(const Accounts& a, std::size_t batch) {
  return a.logged ? a.logged->numbers[batch] : static_cast<std::int64_t>(batch);
}

struct BatchLine {
  const Accounts* accounts;
  std::size_t number;
  const BatchAccount& batch() const { return accounts->batches[number]; }
};

constexpr Column<BatchLine> batch_columns[] = {
    {batch_number, [](const BatchLine& b) -> Cell { return own_number(*b.accounts, b.number); }},
    {"admitted_us", "Admitted",
     [](const BatchLine& b) { return time_cell(b.batch().admitted - b.accounts->window.begin); },
     "When the batch entered the first queue, as time from the start of the run's window."},
    {"delivered_us", "Delivered",
     [](const BatchLine& b) { return time_cell(b.batch().delivered - b.accounts->window.begin); },
     "When the batch was delivered, as time from the start of the run's window."},
    {common::latency_us, [](const BatchLine& b) { return time_cell(b.batch().latency()); }},
    {"cycle_latency_us", "Cycle latency", [](const BatchLine& b) { return time_cell(b.batch().cycle); },
     "Cycle latency of the batch: the longest of its stage times."},
    {"slowest_stage", "Slowest", [](const BatchLine& b) { return stage_name(*b.accounts, b.batch().slowest); },
     "The stage in which the batch spent the longest of its stage times."},
    {"source_wait_us", "Source wait",
     [](const BatchLine& b) { return time_cell(b.batch().admitted - b.batch().arrived); },
     "Time from the batch's arrival at an open source until it was admitted."},
    {"queue_wait_us", "Queue wait", [](const BatchLine& b) { return time_cell(b.batch().queue_wait); },
     "Time that the batch waited in the input queues of all stages together (where stages fork: on the path that took "
     "longest), without the copies of its tensors."},
    {"batch_copy_us", "Copy", [](const BatchLine& b) { return time_cell(b.batch().copy); },
     "Time in which the batch's tensors were copied to or from a stage, all stages together (where stages fork: on the "
     "path that took longest)."},
    {"in_stages_us", "In stages", [](const BatchLine& b) { return time_cell(b.batch().working); },
     "Stage times of the batch, all stages together (where stages fork: on the path that took longest)."},
    {"held_us", "Blocked", [](const BatchLine& b) { return time_cell(b.batch().blocked); },
     "Time in which the batch was completed in a stage and could not leave, all stages together (where stages fork: on "
     "the path that took longest)."},
};

constexpr ColumnText stage_time_of{"stage_time_us.STAGE", "STAGE",
                                   "Stage time of the batch in the stage that the key names after the dot: from the "
                                   "start of execution to its completion."};

/// One column per stage: its name is part of the column's.
void add_stage_times(Table& table, const Accounts& accounts, std::size_t first) {
  for (std::size_t s = 0; s < accounts.stages.size(); ++s) {
    const std::string& name = accounts.stages[s].name;
    table.columns.push_back({"stage_time_us." + name, name, std::string(stage_time_of.meaning)});
    for (std::size_t b = 0; b < table.rows.size(); ++b)
      table.rows[b].push_back(time_cell(accounts.stage_times[(first + b) * accounts.stages.size() + s]));
  }
}

constexpr TableDefinition<SummaryRow> summary_definition{"summary", "The pipeline's run as a whole: one row.",
                                                         summary_columns};
constexpr TableDefinition<DeviceAccount> devices_definition{
    "devices", "Where each device's time went: a row per device. Busy and idle time add up to the window of the run.",
    device_columns};
constexpr TableDefinition<DeviceStageLine> device_stages_definition{
    "device_stages", "Time that each device spent on each of its stages: a row per device and stage.",
    device_stage_columns};
constexpr TableDefinition<StageAccount> stages_definition{"stages", "Time of each stage: a row per stage.",
                                                          stage_columns};
constexpr TableDefinition<BatchLine> batches_definition{
    "batches",
    "Where each batch's latency went: a row per batch. Source wait, queue waits, copies, time in stages and blocked "
    "time add up to the latency.",
    batch_columns};
TableSchema batches_schema() {
  TableSchema schema = batches_definition.schema();
  schema.columns.push_back(
      {std::string(stage_time_of.name), std::string(stage_time_of.title), std::string(stage_time_of.meaning)});
  return schema;
}

Table batches_table(const Accounts& accounts, std::size_t first, std::size_t count) {
  std::vector<BatchLine> lines;
  for (std::size_t b = first; b < std::min(first + count, accounts.batches.size()); ++b)
    lines.push_back({&accounts, b});
  Table table = batches_definition.make(lines);
  add_stage_times(table, accounts, first);
  return table;
}

Table device_stages_table(const Accounts& accounts) {
  std::vector<DeviceStageLine> lines;
  for (const ShareAccount& share : accounts.device_stages) lines.push_back({&accounts, &share});
  return device_stages_definition.make(lines);
}

struct Maker {
  std::string_view name;
  Table (*make)(const Accounts&);
  std::size_t (*rows)(const Accounts&) = nullptr;  ///< of one that is made some rows at a time
  Table (*make_rows)(const Accounts&, std::size_t first, std::size_t count) = nullptr;
};

/// In the order of account_schemas().
constexpr Maker makers[] = {
    {"summary",
     [](const Accounts& accounts) {
       const SummaryRow row[] = {&accounts};
       return summary_definition.make(row);
     }},
    {"devices", [](const Accounts& accounts) { return devices_definition.make(accounts.devices); }},
    {"stages", [](const Accounts& accounts) { return stages_definition.make(accounts.stages); }},
    {"batches", nullptr, [](const Accounts& accounts) { return accounts.batches.size(); }, batches_table},
    {"parts", nullptr, [](const Accounts& accounts) { return accounts.parts.size(); }, parts_table},
    {"splits", splits_table},
    {"critical_path", critical_path_table},
    {"bindings", bindings_table},
    {"device_stages", device_stages_table},
};

}  // namespace

LongTable long_table(const Accounts& accounts, std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(makers), std::end(makers), [&](const Maker& maker) { return maker.name == name; });
  TAKT_CHECK(found != std::end(makers));
  const Maker& maker = *found;
  LongTable table{std::string(name), 0, [&](std::size_t, std::size_t) { return maker.make(accounts); }};
  if (maker.rows == nullptr) return table;
  table.rows = maker.rows(accounts);
  table.make = [&](std::size_t first, std::size_t count) { return maker.make_rows(accounts, first, count); };
  return table;
}

Table table(const Accounts& accounts, std::string_view name) {
  const LongTable all = long_table(accounts, name);
  return all.make(0, all.rows);
}

std::vector<Table> tables(const Accounts& accounts) {
  std::vector<Table> list;
  for (const Maker& maker : makers) list.push_back(table(accounts, maker.name));
  return list;
}

std::vector<TableSchema> account_schemas() {
  std::vector<TableSchema> list{summary_definition.schema(), devices_definition.schema(), stages_definition.schema(),
                                batches_schema()};
  for (auto& schema : split_schemas()) list.push_back(std::move(schema));
  for (auto& schema : path_schemas()) list.push_back(std::move(schema));
  list.push_back(device_stages_definition.schema());
  return list;
}

}  // namespace takt
