// The columns of `takt pipeline run` and `takt pipeline analyze`, each with its meaning for `takt explain`.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pipeline/account.h"
#include "pipeline/split_tables.h"

namespace takt {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Cell time(Nanoseconds value) { return Duration(value); }
Cell time(const std::optional<Nanoseconds>& value) { return value ? Cell(Duration(*value)) : Cell(); }

Cell percent(Nanoseconds part, Nanoseconds whole) {
  if (whole.count() == 0) return {};
  return 100 * static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

Cell stage_name(const Accounts& accounts, std::optional<int> stage) {
  return stage ? Cell(accounts.stages[at(*stage)].name) : Cell();
}

using SummaryRow = const Accounts*;

constexpr Column<SummaryRow> summary_columns[] = {
    {"pipeline", "Pipeline", [](const SummaryRow& a) -> Cell { return a->name; }, "The pipeline's name."},
    {"clock", "Clock", [](const SummaryRow& a) -> Cell { return std::string(a->virtual_clock ? "virtual" : "real"); },
     "virtual: the run was computed, nothing was waited for. real: it was measured."},
    {"batches", "Batches", [](const SummaryRow& a) -> Cell { return static_cast<std::int64_t>(a->batches.size()); },
     "Batches that were delivered."},
    {"makespan_us", "Makespan", [](const SummaryRow& a) { return time(a->window.length()); },
     "The window of the run: from the first start of an execution to the last end of one, on any device."},
    {"cycle_us", "Cycle", [](const SummaryRow& a) { return optional_cell(a->cycle); },
     "Steady-state cycle: the median time between deliveries, between fill and drain and after warm-up. Where stages "
     "have replicas, over as many deliveries as their pattern has, divided by that number."},
    {"throughput_per_s", "Batches/s", [](const SummaryRow& a) { return optional_cell(a->throughput_per_s); },
     "Batches delivered per second in the same part of the run."},
    {"overall_per_s", "Overall/s", [](const SummaryRow& a) { return optional_cell(a->overall_per_s); },
     "All batches divided by the makespan: with fill and drain."},
    {"latency_mean_us", "Latency mean", [](const SummaryRow& a) { return optional_cell(a->latency.mean); },
     "Mean end-to-end latency of a batch: from its arrival (in a closed loop its admission) to its delivery."},
    {"latency_median_us", "Latency median", [](const SummaryRow& a) { return optional_cell(a->latency.median); },
     "Median end-to-end latency of a batch."},
    {"latency_p90_us", "Latency p90", [](const SummaryRow& a) { return optional_cell(a->latency.p90); },
     "90 % of the batches had a smaller end-to-end latency."},
    {"cycle_latency_mean_us", "Cycle latency mean",
     [](const SummaryRow& a) { return optional_cell(a->cycle_latency.mean); },
     "Mean over the batches of the cycle latency, the longest stage time of a batch."},
    {"bottleneck", "Bottleneck", [](const SummaryRow& a) { return stage_name(*a, a->bottleneck); },
     "The stage with the largest load: it keeps the cycle from being shorter."},
    {"margin_percent", "Margin %", [](const SummaryRow& a) { return a->margin ? Cell(*a->margin * 100) : Cell(); },
     "How much larger the bottleneck's load is than that of the second stage: what a faster bottleneck can gain before "
     "the second one takes its place."},
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
    {"device", "Device", [](const DeviceAccount& d) -> Cell { return d.name; },
     "The device that really ran; a simulated one says sim:NAME."},
    {"wall_us", "Wall", [](const DeviceAccount& d) { return time(d.wall); },
     "The window of the run: busy + starved + blocked + dispatch + fill and drain, exactly."},
    {"busy_us", "Busy", [](const DeviceAccount& d) { return time(d.busy); },
     "Time in which at least one execution ran on the device (union of their intervals)."},
    {"starved_us", "Starved", [](const DeviceAccount& d) { return time(d.starved); },
     "Idle because all its stages waited for input."},
    {"blocked_us", "Blocked", [](const DeviceAccount& d) { return time(d.blocked); },
     "Idle while one of its stages held a batch that could not move on: the queue behind was full, or an earlier batch "
     "had to leave first."},
    {"dispatch_us", "Dispatch", [](const DeviceAccount& d) { return time(d.dispatch); },
     "Idle although a batch, a replica, a request and room behind were there: scheduling overhead. 0 on the virtual "
     "clock."},
    {"fill_drain_us", "Fill, drain", [](const DeviceAccount& d) { return time(d.fill + d.drain); },
     "Idle before the first batch had reached the device and after its last one had left."},
    {"fill_us", "Fill", [](const DeviceAccount& d) { return time(d.fill); },
     "Idle before the first batch had reached the device."},
    {"drain_us", "Drain", [](const DeviceAccount& d) { return time(d.drain); },
     "Idle after the device's last batch had left."},
    {"utilisation_percent", "Busy %", [](const DeviceAccount& d) { return percent(d.busy, d.wall); },
     "Busy time as a share of the wall time; never above 100."},
    {"counter_percent", "Counters %",
     [](const DeviceAccount& d) { return d.hardware ? percent(*d.hardware, d.wall) : Cell(); },
     "Sum of the runtime's own counters as a share of the wall time. Above 100 where executions or their operators "
     "overlap; missing where the runtime has no counters."},
    {"executions", "Executions", [](const DeviceAccount& d) -> Cell { return d.executions; },
     "Executions on the device: batches, or parts of them."},
    {"bubbles", "Bubbles", [](const DeviceAccount& d) -> Cell { return d.bubbles.count; },
     "Idle intervals of the device in the window."},
    {"bubble_mean_us", "Bubble mean", [](const DeviceAccount& d) { return optional_cell(d.bubbles.mean); },
     "Mean length of an idle interval."},
    {"bubble_p90_us", "Bubble p90", [](const DeviceAccount& d) { return optional_cell(d.bubbles.p90); },
     "90 % of the idle intervals were shorter."},
    {"bubble_total_us", "Bubble total", [](const DeviceAccount& d) { return time(d.bubbles.total); },
     "All idle intervals together: starved + blocked + dispatch + fill and drain."},
    {"penalty_us", "Penalty", [](const DeviceAccount& d) { return time(d.penalty); },
     "Concurrency penalty: execution time − the runtime's counters, summed over the executions that have counters."},
};

Cell per_execution(const std::optional<Nanoseconds>& total, std::int64_t count) {
  return total && count > 0 ? Cell(Duration(*total) / static_cast<double>(count)) : Cell();
}

constexpr Column<StageAccount> stage_columns[] = {
    {"stage", "Stage", [](const StageAccount& s) -> Cell { return s.name; }, "The stage's name."},
    {"devices", "Devices", [](const StageAccount& s) -> Cell { return s.devices; },
     "Where its replicas and parts ran."},
    {"replicas", "Replicas", [](const StageAccount& s) -> Cell { return std::int64_t{s.replicas}; },
     "Batches that may be in the stage at once, those in its queue apart."},
    {"parts", "Parts", [](const StageAccount& s) -> Cell { return std::int64_t{s.parts}; },
     "Parts into which a data-parallel stage divides a batch; 1 in an ordinary stage."},
    {"stage_batches", "Batches", [](const StageAccount& s) -> Cell { return s.time.count; },
     "Batches that passed the stage."},
    {"stage_mean_us", "Mean", [](const StageAccount& s) { return optional_cell(s.time.mean); },
     "Mean stage time: from the start of execution to its completion, the wait in the queue apart."},
    {"stage_median_us", "Median", [](const StageAccount& s) { return optional_cell(s.time.median); },
     "Median stage time."},
    {"stage_p90_us", "p90", [](const StageAccount& s) { return optional_cell(s.time.p90); },
     "90 % of the stage times were smaller."},
    {"stage_total_us", "Total", [](const StageAccount& s) { return time(s.time.total); }, "Sum of the stage times."},
    {"load_us", "Load", [](const StageAccount& s) -> Cell { return s.time.count > 0 ? Cell(s.load) : Cell(); },
     "The time between batches that this stage allows: mean stage time over replicas; not less than what the stages of "
     "a device with a bounded number of requests need of it together."},
    {"queue_mean_us", "Queue", [](const StageAccount& s) { return optional_cell(s.queue_wait.mean); },
     "Mean wait in front of the stage."},
    {"queue_p90_us", "Queue p90", [](const StageAccount& s) { return optional_cell(s.queue_wait.p90); },
     "90 % of the waits in front of the stage were shorter."},
    {"held_mean_us", "Held", [](const StageAccount& s) { return optional_cell(s.blocked.mean); },
     "Mean time that a batch which was done could not leave the stage: the queue behind was full, or an earlier batch "
     "had to leave first."},
    {"hardware_mean_us", "Hardware", [](const StageAccount& s) { return per_execution(s.hardware, s.counted); },
     "Mean of an execution's own counters; missing where the runtime has none."},
    {"penalty_mean_us", "Penalty", [](const StageAccount& s) { return per_execution(s.penalty, s.counted); },
     "Mean concurrency penalty of an execution: its time − its counters."},
    {"alone_mean_us", "Alone mean", [](const StageAccount& s) { return optional_cell(s.alone); },
     "Mean time of its executions beside which nothing else ran; missing where there was none."},
    {"slowed_mean_us", "Slowed mean", [](const StageAccount& s) { return optional_cell(s.slowed); },
     "Concurrency penalty against the stage itself: mean time of an execution − the mean of those that ran alone."},
    {"marshalling_mean_us", "Marshalling mean",
     [](const StageAccount& s) { return per_execution(s.marshalling, s.counted); },
     "Mean time of an execution in input, reorder and convert nodes: data brought into another form."},
    {"bytes_moved", "Bytes moved", [](const StageAccount& s) { return optional_cell(s.bytes_moved); },
     "Bytes that takt copied to hand tensors on, over all executions."},
};

struct BatchLine {
  const Accounts* accounts;
  std::size_t number;
  const BatchAccount& batch() const { return accounts->batches[number]; }
};

constexpr Column<BatchLine> batch_columns[] = {
    {"batch", "Batch", [](const BatchLine& b) -> Cell { return static_cast<std::int64_t>(b.number); },
     "Number of the batch, in the order in which they entered."},
    {"admitted_us", "Admitted", [](const BatchLine& b) { return time(b.batch().admitted - b.accounts->window.begin); },
     "When it entered the first queue, from the begin of the window."},
    {"delivered_us", "Delivered",
     [](const BatchLine& b) { return time(b.batch().delivered - b.accounts->window.begin); },
     "When it was delivered, from the begin of the window."},
    {"latency_us", "Latency", [](const BatchLine& b) { return time(b.batch().latency()); },
     "End-to-end latency: source wait + queue waits + stage times + time held."},
    {"cycle_latency_us", "Cycle latency", [](const BatchLine& b) { return time(b.batch().cycle); },
     "Cycle latency: the longest of its stage times."},
    {"slowest_stage", "Slowest", [](const BatchLine& b) { return stage_name(*b.accounts, b.batch().slowest); },
     "The stage of that time."},
    {"source_wait_us", "Source wait", [](const BatchLine& b) { return time(b.batch().admitted - b.batch().arrived); },
     "From its arrival at an open source until it was admitted."},
    {"queue_wait_us", "Queue wait", [](const BatchLine& b) { return time(b.batch().queue_wait); },
     "Waits in front of all stages together."},
    {"held_us", "Held", [](const BatchLine& b) { return time(b.batch().blocked); },
     "Time in which it was done in a stage and could not leave, all stages together."},
};

/// One column per stage: its name is part of the column's.
void add_stage_times(Table& table, const Accounts& accounts) {
  for (std::size_t s = 0; s < accounts.stages.size(); ++s) {
    const std::string& name = accounts.stages[s].name;
    table.columns.push_back({"stage_time_us." + name, name, "Stage time of the batch in stage " + name + "."});
    for (std::size_t b = 0; b < table.rows.size(); ++b)
      table.rows[b].push_back(time(accounts.stage_times[b * accounts.stages.size() + s]));
  }
}

constexpr std::array<std::string_view, 5> activity_names{"run", "partition", "merge", "dispatch", "source"};
constexpr std::array<std::string_view, 7> binding_names{"data",  "replica",   "request", "room",
                                                        "order", "in flight", "end"};

struct PathLine {
  const Accounts* accounts;
  const PathShare* share;
};

constexpr Column<PathLine> path_columns[] = {
    {"path_stage", "Stage",
     [](const PathLine& p) -> Cell {
       return p.share->stage < 0 ? Cell(std::string("[source]")) : stage_name(*p.accounts, p.share->stage);
     },
     "The stage in which this part of the critical path lies."},
    {"activity", "Activity",
     [](const PathLine& p) -> Cell { return std::string(activity_names[static_cast<std::size_t>(p.share->activity)]); },
     "What the time went into: run, partition or merge of a batch; dispatch: all was there and the next thing had not "
     "begun; source: no batch had come."},
    {"path_device", "Device",
     [](const PathLine& p) -> Cell {
       if (p.share->device >= 0) return p.accounts->devices[at(p.share->device)].name;
       const bool on_host = p.share->activity == PathActivity::partition || p.share->activity == PathActivity::merge;
       return on_host ? Cell(std::string("host")) : Cell();
     },
     "Where it ran."},
    {"binding", "Binding",
     [](const PathLine& p) -> Cell { return std::string(binding_names[static_cast<std::size_t>(p.share->binding)]); },
     "Why what came next could not come sooner: data (it needed the result), replica (all replicas of the stage held a "
     "batch), request (the device ran as much as it may), room (the queue behind was full), order (an earlier batch "
     "had to leave first), in flight (no more batches were let in), end (of the run)."},
    {"path_count", "Count", [](const PathLine& p) -> Cell { return p.share->count; }, "Stretches of the path."},
    {"path_us", "Time", [](const PathLine& p) { return time(p.share->total); },
     "Time of the critical path; the column adds up to the time of the last delivery."},
    {"blame_percent", "Blame %", [](const PathLine& p) { return percent(p.share->total, p.accounts->path.length); },
     "Share of the critical path: what the run would be shorter by, at most, if this took no time."},
};

template <typename Row>
void append(std::vector<ColumnInfo>& list, std::span<const Column<Row>> columns) {
  for (const auto& column : columns)
    list.push_back({std::string(column.name), std::string(column.title), std::string(column.meaning)});
}

Table batches_table(const Accounts& accounts) {
  std::vector<BatchLine> lines;
  for (std::size_t b = 0; b < accounts.batches.size(); ++b) lines.push_back({&accounts, b});
  Table table = make_table<BatchLine>("batches", batch_columns, lines);
  add_stage_times(table, accounts);
  return table;
}

Table path_table(const Accounts& accounts) {
  std::vector<PathLine> lines;
  for (const PathShare& share : accounts.path.shares) lines.push_back({&accounts, &share});
  return make_table<PathLine>("critical_path", path_columns, lines);
}

}  // namespace

std::vector<Table> tables(const Accounts& accounts) {
  const SummaryRow summary[] = {&accounts};
  std::vector<Table> list;
  list.push_back(make_table<SummaryRow>("summary", summary_columns, summary));
  list.push_back(make_table<DeviceAccount>("devices", device_columns, accounts.devices));
  list.push_back(make_table<StageAccount>("stages", stage_columns, accounts.stages));
  list.push_back(batches_table(accounts));
  list.push_back(parts_table(accounts));
  list.push_back(splits_table(accounts));
  list.push_back(path_table(accounts));
  return list;
}

std::vector<std::string> account_table_names() {
  return {"summary", "devices", "stages", "batches", "parts", "splits", "critical_path"};
}

std::vector<ColumnInfo> account_columns() {
  std::vector<ColumnInfo> list;
  append<SummaryRow>(list, summary_columns);
  append<DeviceAccount>(list, device_columns);
  append<StageAccount>(list, stage_columns);
  append<BatchLine>(list, batch_columns);
  for (auto& column : split_columns()) list.push_back(std::move(column));
  append<PathLine>(list, path_columns);
  return list;
}

}  // namespace takt
