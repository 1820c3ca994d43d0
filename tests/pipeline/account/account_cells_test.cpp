// What stands in which cell of the tables of `takt pipeline run` and `takt pipeline analyze`, and in the lines above
// them. The record is no run that could be: every figure of it is another one.
#include "pipeline/account/account.h"
#include "table_cells.h"

namespace takt {
namespace {

Nanoseconds us(std::int64_t count) { return std::chrono::microseconds(count); }

/// 1 more than the one before, from `first`.
Spread spread(std::int64_t first) {
  return {.count = first,
          .total = us(first + 5),
          .mean = us(first),
          .median = us(first + 1),
          .p90 = us(first + 2),
          .p99 = us(first + 3),
          .max = us(first + 4)};
}

DeviceAccount device_with_everything() {
  DeviceAccount device;
  device.name = "NPU", device.runtime = "openvino", device.executions = 11;
  device.wall = us(1000), device.busy = us(500), device.copy = us(10), device.sync = us(20), device.starved = us(30);
  device.blocked = us(40), device.dispatch = us(50), device.fill = us(61), device.drain = us(71);
  device.executing = us(510), device.bubbles = spread(80), device.hardware = us(400), device.penalty = us(91);
  return device;
}

StageAccount stage_with_everything() {
  StageAccount stage;
  stage.name = "infer", stage.devices = "CPU+NPU", stage.replicas = 2, stage.parts = 3, stage.batches = 12;
  stage.total = us(2000), stage.first = us(150), stage.load = us(45);
  stage.time = spread(100), stage.queue_wait = spread(200), stage.copy = spread(300), stage.blocked = spread(400);
  stage.hardware = us(800), stage.penalty = us(40), stage.counted = 10;
  stage.marshalling = us(60), stage.marshalled = 5, stage.bytes_moved = 4096;
  stage.alone = us(90), stage.slowed = us(13), stage.drift = StageDrift{us(110), us(143)};
  return stage;
}

/// With all there may be; "read" and "CPU" have nothing that may be missing.
Accounts full() {
  Accounts a;
  a.name = "pipe", a.virtual_clock = true, a.window = {us(1000), us(3000)};
  a.devices = {DeviceAccount(), device_with_everything()};
  a.devices[0].name = "CPU";
  a.stages = {StageAccount(), stage_with_everything()};
  a.stages[0].name = "read", a.stages[0].devices = "CPU";
  a.batches = {{us(1000), us(1001), us(1003), us(4), us(5), us(6), us(7), us(8), 0},
               {us(1100), us(1120), us(1150), us(14), us(15), us(16), us(17), us(18), 1}};
  a.stage_times = {us(21), us(22), us(31), us(32)};
  a.path.length = us(1000), a.path.explained = us(950), a.warmup = 1;
  a.latency = spread(500), a.cycle_latency = spread(600), a.source_wait = spread(700);
  a.cycle = us(25), a.throughput_per_s = 40000, a.overall_per_s = 1250, a.arrivals_per_s = 32000;
  a.overload = {33000, 34000, 0.125};
  a.bindings.window = {us(0), us(400)}, a.bindings.main = BinderShare{Binder::device, -1, 1, 0, us(0)};
  a.bottleneck = 1, a.second = 0, a.margin = 0.5;
  return a;
}

TEST(Cells, of_pipeline_run_summary) {
  expect_cells(table(full(), "summary"), {{"pipeline", {"pipe"}},
                                          {"clock", {"virtual"}},
                                          {"batches", {"2"}},
                                          {"makespan_us", {"2000"}},
                                          {"cycle_us", {"25"}},
                                          {"throughput_per_s", {"40000"}},
                                          {"overall_per_s", {"1250"}},
                                          {"latency_mean_us", {"500"}},
                                          {"latency_median_us", {"501"}},
                                          {"latency_p90_us", {"502"}},
                                          {"latency_p99_us", {"503"}},
                                          {"latency_max_us", {"504"}},
                                          {"source_wait_mean_us", {"700"}},
                                          {"source_wait_max_us", {"704"}},
                                          {"arrivals_per_s", {"32000"}},
                                          {"dropped_batches", {""}},
                                          {"wait_growth", {"0.125"}},
                                          {"cycle_latency_mean_us", {"600"}},
                                          {"bound_by", {"device NPU"}},
                                          {"bottleneck", {"infer"}},
                                          {"margin_percent", {"50"}},
                                          {"second", {"read"}},
                                          {"path_coverage_percent", {"95"}},
                                          {"warmup_batches", {"1"}},
                                          {"interrupted", {"no"}}});
}

TEST(AccountTables, of_a_programs_own_report_have_its_numbers) {
  Accounts a = full();
  a.logged = LoggedFacts{{70, 80}, {}, {{0, 9}, {1, 4}}};
  EXPECT_EQ(to_csv(some_columns(table(a, "summary"), {"dropped_batches"})), "dropped_batches\n13\n");
  EXPECT_EQ(to_csv(some_columns(table(a, "batches"), {"batch", "delivered_us"})), "batch,delivered_us\n70,3\n80,150\n");
}

TEST(AccountTables, of_nothing_have_empty_cells) {
  Accounts nothing;
  nothing.name = "pipe", nothing.interrupted = true;
  EXPECT_EQ(to_csv(some_columns(table(nothing, "summary"),
                                {"pipeline", "clock", "batches", "makespan_us", "warmup_batches", "interrupted"})),
            "pipeline,clock,batches,makespan_us,warmup_batches,interrupted\npipe,real,0,0,0,yes\n");
  const Table rest = without_columns(table(nothing, "summary"),
                                     {"pipeline", "clock", "batches", "makespan_us", "warmup_batches", "interrupted"});
  for (std::size_t c = 0; c < rest.columns.size(); ++c)
    EXPECT_TRUE(std::holds_alternative<std::monostate>(rest.rows[0][c])) << rest.columns[c].name;
}

TEST(Cells, of_pipeline_run_devices) {
  expect_cells(table(full(), "devices"), {{"device", {"CPU", "NPU"}},
                                          {"wall_us", {"0", "1000"}},
                                          {"busy_us", {"0", "500"}},
                                          {"copy_us", {"0", "10"}},
                                          {"sync_us", {"0", "20"}},
                                          {"starved_us", {"0", "30"}},
                                          {"blocked_us", {"0", "40"}},
                                          {"dispatch_us", {"0", "50"}},
                                          {"fill_drain_us", {"0", "132"}},
                                          {"fill_us", {"0", "61"}},
                                          {"drain_us", {"0", "71"}},
                                          {"utilisation_percent", {"", "50"}},
                                          {"counter_percent", {"", "40"}},
                                          {"executions", {"0", "11"}},
                                          {"bubbles", {"0", "80"}},
                                          {"bubble_mean_us", {"", "80"}},
                                          {"bubble_p90_us", {"", "82"}},
                                          {"bubble_total_us", {"0", "85"}},
                                          {"penalty_us", {"", "91"}}});
}

TEST(Cells, of_pipeline_run_stages) {
  expect_cells(table(full(), "stages"), {{"stage", {"read", "infer"}},
                                         {"devices", {"CPU", "CPU+NPU"}},
                                         {"replicas", {"1", "2"}},
                                         {"parts", {"1", "3"}},
                                         {"stage_batches", {"0", "12"}},
                                         {"first_us", {"", "150"}},
                                         {"stage_mean_us", {"", "100"}},
                                         {"stage_median_us", {"", "101"}},
                                         {"stage_p90_us", {"", "102"}},
                                         {"stage_total_us", {"0", "2000"}},
                                         {"load_us", {"", "45"}},
                                         {"queue_mean_us", {"", "200"}},
                                         {"queue_p90_us", {"", "202"}},
                                         {"copy_mean_us", {"", "300"}},
                                         {"held_mean_us", {"", "400"}},
                                         {"hardware_mean_us", {"", "80"}},
                                         {"penalty_mean_us", {"", "4"}},
                                         {"alone_mean_us", {"", "90"}},
                                         {"drift_percent", {"", "30"}},
                                         {"slowed_mean_us", {"", "13"}},
                                         {"marshalling_mean_us", {"", "12"}},
                                         {"bytes_moved", {"", "4096"}}});
}

TEST(Cells, of_pipeline_run_batches) {
  expect_cells(table(full(), "batches"), {{"batch", {"0", "1"}},
                                          {"admitted_us", {"1", "120"}},
                                          {"delivered_us", {"3", "150"}},
                                          {"latency_us", {"3", "50"}},
                                          {"cycle_latency_us", {"8", "18"}},
                                          {"slowest_stage", {"read", "infer"}},
                                          {"source_wait_us", {"1", "20"}},
                                          {"queue_wait_us", {"4", "14"}},
                                          {"batch_copy_us", {"5", "15"}},
                                          {"in_stages_us", {"6", "16"}},
                                          {"held_us", {"7", "17"}},
                                          {"stage_time_us.read", {"21", "31"}},
                                          {"stage_time_us.infer", {"22", "32"}}});
}

PartAccount part(std::int64_t batch, int number, int device, std::int64_t first) {
  return {batch,         1,         number,    device,        us(first + 1),   us(first + 2),
          us(first + 3), us(first), us(first), us(first + 4), us(1000 + first)};
}

/// The second part of batch 1 is done last, the first of batch 2.
Accounts with_parts() {
  Accounts a = full();
  a.parts = {part(0, 0, 0, 500), part(1, 0, 0, 100), part(1, 1, 1, 200), part(2, 0, 1, 140)};
  a.parts[1].skew = us(110), a.parts[1].wake_up = us(130);
  a.parts[2].device_time = a.parts[2].stage_total - a.parts[2].partition - a.parts[2].sync_merge;
  return a;
}

TEST(Cells, of_pipeline_run_parts) {
  Accounts a = full();
  a.parts = {{7, 1, 2, 1, us(11), us(12), us(13), us(14), us(15), us(16), us(17)}};
  expect_cells(table(a, "parts"), {{"batch", {"7"}},
                                   {"stage", {"infer"}},
                                   {"part", {"2"}},
                                   {"device", {"NPU"}},
                                   {"partition_us", {"13"}},
                                   {"part_queue_us", {"11"}},
                                   {"device_time_us", {"12"}},
                                   {"skew_us", {"14"}},
                                   {"wake_up_us", {"15"}},
                                   {"sync_merge_us", {"16"}},
                                   {"stage_time_us", {"17"}}});
}

// Batch 0 is warm-up. Of part 0, batches 1 and 2 count; the longest part takes what partition and merge leave.
TEST(Cells, of_pipeline_run_splits) {
  expect_cells(table(with_parts(), "splits"), {{"stage", {"infer", "infer"}},
                                               {"part", {"0", "1"}},
                                               {"device", {"CPU+NPU", "NPU"}},
                                               {"part_batches", {"2", "1"}},
                                               {"last_percent", {"0", "100"}},
                                               {"partition_mean_us", {"123", "203"}},
                                               {"part_queue_mean_us", {"121", "201"}},
                                               {"device_time_mean_us", {"122", "793"}},
                                               {"longest_mean_us", {"873", "793"}},
                                               {"skew_mean_us", {"125", "200"}},
                                               {"wake_up_mean_us", {"135", "200"}},
                                               {"sync_merge_mean_us", {"124", "204"}},
                                               {"stage_mean_us", {"1120", "1200"}}});
}

TEST(Cells, of_pipeline_run_critical_path) {
  Accounts a = full();
  using A = PathActivity;
  using B = PathBinding;
  a.path.shares = {{A::run, 1, 1, B::data, 1, us(300)},       {A::partition, 1, -1, B::replica, 2, us(210)},
                   {A::merge, 1, -1, B::request, 3, us(130)}, {A::dispatch, 0, -1, B::room, 4, us(70)},
                   {A::source, -1, -1, B::order, 5, us(60)},  {A::copy, 0, 0, B::in_flight, 6, us(50)},
                   {A::run, 0, 0, B::end, 7, us(40)}};
  expect_cells(table(a, "critical_path"),
               {{"path_stage", {"infer", "infer", "infer", "read", "[source]", "read", "read"}},
                {"activity", {"run", "partition", "merge", "dispatch", "source", "copy", "run"}},
                {"path_device", {"NPU", "host", "host", "", "", "CPU", "CPU"}},
                {"binding", {"data", "replica", "request", "room", "order", "in flight", "end"}},
                {"path_count", {"1", "2", "3", "4", "5", "6", "7"}},
                {"path_us", {"300", "210", "130", "70", "60", "50", "40"}},
                {"blame_percent", {"30", "21", "13", "7", "6", "5", "4"}}});
}

TEST(Cells, of_pipeline_run_bindings) {
  Accounts a = full();
  a.bindings.shares = {{Binder::stage, 1, -1, 1, us(100)},     {Binder::device, -1, 1, 2, us(80)},
                       {Binder::queue, 1, -1, 3, us(60)},      {Binder::order, 0, -1, 4, us(50)},
                       {Binder::in_flight, -1, -1, 5, us(40)}, {Binder::source, -1, -1, 6, us(30)},
                       {Binder::dispatch, -1, -1, 7, us(28)},  {Binder::start, -1, -1, 8, us(12)}};
  expect_cells(
      table(a, "bindings"),
      {{"bound_by",
        {"stage infer", "device NPU", "queue of infer", "order in read", "in flight", "source", "dispatch", "[start]"}},
       {"laps", {"1", "2", "3", "4", "5", "6", "7", "8"}},
       {"bound_us", {"100", "80", "60", "50", "40", "30", "28", "12"}},
       {"bound_percent", {"25", "20", "15", "12.5", "10", "7.5", "7", "3"}}});
}

TEST(Cells, of_pipeline_run_device_stages) {
  Accounts a = full();
  a.device_stages = {{1, 0, 3, us(500), us(600), us(7)}, {0, 1, 4, us(200), us(300), us(8)}};
  expect_cells(table(a, "device_stages"), {{"device", {"NPU", "CPU"}},
                                           {"stage", {"read", "infer"}},
                                           {"executions", {"3", "4"}},
                                           {"stage_busy_us", {"500", "200"}},
                                           {"stage_busy_percent", {"25", "10"}},
                                           {"execution_mean_us", {"200", "75"}}});
}

void expect_lines(const Accounts& accounts, std::initializer_list<const char*> lines) {
  const std::string text = "\n" + to_text(accounts);
  for (const char* line : lines)
    EXPECT_NE(text.find("\n" + std::string(line) + "\n"), std::string::npos) << line << "\nis no line of\n" << text;
}

TEST(Sentences, of_an_account_have_its_figures) {
  expect_lines(full(), {"pipe        2 batches in 2.00 ms, virtual clock",
                        "cycle       25.0 µs in steady state, 4e+04 batches/s",
                        "bound by    device NPU: all its requests are busy",
                        "bottleneck  infer on CPU+NPU: a batch every 45.0 µs, 50.0 % more than read",
                        "latency     500 µs mean, 501 µs median, 502 µs p90, 503 µs p99, 504 µs max",
                        "source      700 µs mean wait before a batch is admitted, 704 µs max",
                        "overload    3.3e+04 batches/s arrive, 3.4e+04 complete,",
                        "            so queueing delay grows by 125 ms per second",
                        "warm-up     1 batch, excluded from all statistics"});
  Accounts cold = full();
  cold.stages[1].first = us(160), cold.interrupted = true, cold.virtual_clock = false, cold.warmup = 2;
  expect_lines(cold, {"pipe        2 batches in 2.00 ms, interrupted",
                      "warm-up     2 batches, excluded from all statistics,\n"
                      "            the first took 160 µs in infer, later ones 100 µs"});
  Accounts few = full();
  few.cycle.reset(), few.steady_deliveries = 3;
  expect_lines(few, {"cycle       none: of 2 batches, 3 left between warm-up and drain; run more"});
}

TEST(Sentences, of_what_binds_have_their_figures) {
  Accounts a = full();
  a.in_flight = 6;
  const auto bound_by = [&](Binder binder, int stage, const char* line) {
    a.bindings.main = BinderShare{binder, stage, -1, 0, us(0)};
    expect_lines(a, {line});
  };
  bound_by(Binder::stage, 0, "bound by    stage read: it works on one batch at a time");
  bound_by(Binder::stage, 1, "bound by    stage infer: all its 2 replicas are busy");
  bound_by(Binder::queue, 1, "bound by    queue of infer: it is full");
  bound_by(Binder::order, 0, "bound by    order in read: batches wait there for an earlier one to leave");
  bound_by(Binder::in_flight, -1, "bound by    in flight: at most 6 batches in flight");
  bound_by(Binder::source, -1, "bound by    source: 3.2e+04 batches/s arrive");
  bound_by(Binder::dispatch, -1, "bound by    dispatch: the delay between ready and start");
  expect_lines(a, {"slowest     infer on CPU+NPU: a batch every 45.0 µs, 50.0 % more than read"});
}

}  // namespace
}  // namespace takt
