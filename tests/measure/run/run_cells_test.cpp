// What stands in which cell of the tables of `takt run`, and in its sentences.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "measure/open/startup.h"
#include "measure/operators/fallback_ops.h"
#include "measure/operators/table.h"
#include "measure/operators/type_table.h"
#include "measure/report/percentiles.h"
#include "measure/report/run_facts.h"
#include "measure/report/run_tables.h"
#include "measure/report/run_text.h"
#include "measure/report/shapes_table.h"
#include "measure/report/steps_table.h"
#include "measure/run/label.h"
#include "measure/run/memory.h"
#include "measure/run/results.h"
#include "measure/timing/instability.h"
#include "measure/timing/throughput.h"
#include "table_cells.h"

namespace takt {
namespace {

using testing::HasSubstr;

Nanoseconds us(std::int64_t count) { return std::chrono::microseconds(count); }

std::vector<Nanoseconds> all_us(std::initializer_list<std::int64_t> counts) {
  std::vector<Nanoseconds> times;
  for (const std::int64_t count : counts) times.push_back(us(count));
  return times;
}

/// Four weights of 16 bytes; at most three tensors of as many live at once, the input all the time.
RunResult labelled_result() {
  RunResult result;
  result.model = "dir/net.onnx", result.runtime = "openvino", result.runtime_version = "2026.1", result.device = "GPU";
  result.runtime_choice = "as asked";
  result.content = ModelContent{{}, "00ff00ff00ff00ff"}, result.precision = ElementType::f16;
  result.input_values = {{"x", ElementType::f32, {1, 4}, to_bytes(std::vector<float>{1, 2, 3, 4}), {}}};
  result.input_origins = {"values of x.npy"};
  GraphSketch sketch;
  for (const char* weight : {"w", "v", "u", "t"}) sketch.tensor(weight, true);
  result.graph =
      sketch.op("a", "Add", {"x", "w"}).op("b", "Mul", {"a", "v"}).op("c", "Sum", {"b", "u", "t"}).graph("c");
  return result;
}

const std::vector<ColumnCells> label{{"model", {"dir/net.onnx"}},
                                     {"model_hash", {"00ff00ff00ff00ff"}},
                                     {"precision", {"float16"}},
                                     {"inputs", {"x {1,4} float32"}}};

/// With the four columns of the label behind them, the same in each row.
std::vector<ColumnCells> with_label(std::vector<ColumnCells> columns) {
  for (const ColumnCells& column : label)
    columns.push_back({column.key, std::vector<std::string>(columns.front().cells.size(), column.cells.front())});
  return columns;
}

/// Runs in five alternating blocks of one each; profiled ones take 1.5, 1.2, 1.6, 1.1 and 1.7 times as long.
RunResult two_passes() {
  RunResult result = labelled_result();
  RunPass plain, profiled;
  plain.samples = all_us({100, 110, 120, 130, 140}), plain.host_samples.assign(5, us(125));
  plain.load_time = us(5000), plain.memory = {1001, 1002, 1003}, plain.runs_per_second = 7777;
  plain.starts = all_us({0, 200, 300, 500, 700});
  profiled.profiled = true, profiled.samples = all_us({150, 132, 192, 143, 238});
  profiled.host_samples.assign(5, us(170)), profiled.load_time = us(6000), profiled.memory = {401, 402, 403};
  plain.block_starts = profiled.block_starts = {0, 1, 2, 3, 4};
  result.plain = plain, result.profiled = profiled, result.process_peak = 3001;
  return result;
}

TEST(Cells, of_run_summary) {
  const auto cost = bootstrap_median(std::vector<double>{1.5, 1.2, 1.6, 1.1, 1.7}).value();
  expect_cells(summary_table(two_passes()),
               with_label({{"runtime", {"openvino", "openvino"}},
                           {"device", {"GPU", "GPU"}},
                           {"pass", {"plain", "profiled"}},
                           {"iterations", {"5", "5"}},
                           {"load_us", {"5000", "6000"}},
                           {"mean_us", {"120", "171"}},
                           {"stddev_us", {"15.811388300841896", "43.80639222761902"}},
                           {"min_us", {"100", "132"}},
                           {"median_us", {"120", "150"}},
                           {"p90_us", {"136", "219.6"}},
                           {"p99_us", {"", ""}},
                           {"max_us", {"140", "238"}},
                           {"host_mean_us", {"125", "170"}},
                           {"throughput_per_s", {"7777", "5847.953216374269"}},
                           {"profiling_cost_percent", {"", "50"}},
                           {"profiling_cost_low_percent", {"", fmt::format("{}", (cost.low - 1) * 100)}},
                           {"profiling_cost_high_percent", {"", fmt::format("{}", (cost.high - 1) * 100)}},
                           {"base_bytes", {"1001", "401"}},
                           {"load_peak_bytes", {"1002", "402"}},
                           {"run_peak_bytes", {"1003", "403"}},
                           {"weight_bytes", {"64", "64"}},
                           {"activation_peak_bytes", {"48", "48"}},
                           {"process_peak_bytes", {"3001", "3001"}}}));
}

/// Of 1000 us in five profiled runs: 750 and 50 of records by a fused operator, 20 by one that moves bytes faster than
/// the machine can, 180 by nobody. A plain run takes 125 us.
OpProfile two_operators() {
  OpProfile profile;
  OpRow fused;
  fused.name = "conv", fused.type = "Conv", fused.kernel = "brgconv", fused.computed_in = ElementType::bf16,
  fused.model_ops = {"conv", "relu"}, fused.calls = 6;
  fused.total = us(800), fused.record_cost = us(50), fused.plain_mean = Duration(65), fused.plain_interval = {60, 70};
  fused.samples = all_us({100, 100, 100, 100, 400}), fused.flops = 1.3e6, fused.bytes = 20'800,
  fused.constant_bytes = 1024;
  fused.output_shapes = {{1, 2}, {3}}, fused.runtime = "openvino", fused.device = "GPU";
  OpRow other;
  other.name = "add", other.type = "Add", other.model_ops = {"add"}, other.calls = 3, other.total = us(20);
  other.plain_mean = Duration(1), other.plain_interval = {0.5, 1.5}, other.plain_from_records = true;
  other.samples = all_us({4, 4, 4, 4, 4});
  other.bytes = 26'001, other.runtime = "onnxruntime", other.device = "CPU";
  profile.ops = {other, fused}, profile.runs = 5, profile.measured = us(1000), profile.unattributed = us(180);
  profile.unattributed_samples = all_us({30, 30, 40, 40, 40}), profile.recording = us(50);
  profile.plain_mean = Duration(125), profile.plain_unattributed = Duration(34), profile.known_share = 0.625;
  return profile;
}

/// 40 GFLOP/s, 1 GB/s.
Peaks slow_machine() {
  Peaks peaks;
  peaks.compute = {{NumberType::f32, "AVX", {{1e9, 1e9}, {40e9, 40e9}}}};
  peaks.levels = {{"DRAM", {}, {}, {{5e8, 5e8}, {1e9, 1e9}}, {{5e8, 5e8}, {1e9, 1e9}}}};
  return peaks;
}

// Computing takes 32.5 of the 65 us at least, bytes 20.8.
TEST(Cells, of_run_operators) {
  const Peaks peaks = slow_machine();
  const FigureSettings figures{&peaks, false, true};
  expect_cells(labelled(operators_table(two_operators(), std::nullopt, &figures), labelled_result()),
               with_label({{"name", {"conv", "add", "[profiling]", "[unattributed]"}},
                           {"type", {"Conv", "Add", blank, blank}},
                           {"kernel", {"brgconv", "", "", ""}},
                           {"fused", {"conv+relu", "", "", ""}},
                           {"computed_in", {"bfloat16", "", "", ""}},
                           {"calls", {"6", "3", "", ""}},
                           {"plain_mean_us", {"65", "1", "", "34"}},
                           {"plain_low_us", {"60", "0.5", "", ""}},
                           {"plain_high_us", {"70", "1.5", "", ""}},
                           {"time_from", {"plain", "recorded", "", ""}},
                           {"total_us", {"750", "20", "50", "180"}},
                           {"mean_us", {"150", "4", "10", "36"}},
                           {"median_us", {"90", "4", "10", "40"}},
                           {"mean_over_median", {"1.6", "", "", ""}},
                           {"share_percent", {"52", "0.8", "", "27.2"}},
                           {"flops", {"1300000", "", "", ""}},
                           {"bytes", {"20800", "26001", "", ""}},
                           {"gflops_per_s", {"20", "", "", ""}},
                           {"gbytes_per_s", {"0.32", "26.001", "", ""}},
                           {"impossible", {"", "GB/s", "", ""}},
                           {"out_shapes", {"{1,2} {3}", "", "", ""}},
                           {"runtime", {"openvino", "onnxruntime", "onnxruntime", "onnxruntime"}},
                           {"device", {"GPU", "CPU", "CPU", "CPU"}},
                           {"samples", {"5", "5", "", "5"}},
                           {"stddev_us", {"134.16407864998739", "0", "", "5.477225575051661"}},
                           {"min_us", {"100", "4", "", "30"}},
                           {"p50_us", {"100", "4", "", "40"}},
                           {"p90_us", {"280", "4", "", "40"}},
                           {"p99_us", {"", "", "", ""}},
                           {"max_us", {"400", "4", "", "40"}},
                           {"intensity_flop_per_byte", {"62.5", "", "", ""}},
                           {"roofline", {"compute bound", "", "", ""}},
                           {"memory_level", {"DRAM", "", "", ""}},
                           {"peak_share_percent", {"50", "", "", ""}}}));
}

TEST(OperatorsTable, has_the_rest_in_a_row) {
  const Table table = operators_table(two_operators(), 0);
  EXPECT_EQ(
      to_csv(some_columns(table, {"name", "calls", "plain_mean_us", "total_us", "mean_us", "share_percent"})),
      "name,calls,plain_mean_us,total_us,mean_us,share_percent\n[2 other operators],,66,770,154,52.800000000000004\n"
      "[profiling],,,50,10,\n[unattributed],,34,180,36,27.200000000000003\n");
}

// Without plain runs shares are of the measured time, and rates by the mean.
TEST(OperatorsTable, without_plain_runs_has_shares_of_the_measured_time) {
  OpProfile profile = two_operators();
  for (OpRow& row : profile.ops) row.plain_mean.reset(), row.record_cost = us(0);
  profile.ops[1].total = us(750), profile.measured = us(950), profile.recording = us(0);
  profile.plain_mean.reset(), profile.plain_unattributed.reset();
  EXPECT_EQ(
      to_csv(some_columns(operators_table(profile, std::nullopt),
                          {"name", "plain_mean_us", "plain_low_us", "median_us", "share_percent", "gflops_per_s"})),
      "name,plain_mean_us,plain_low_us,median_us,share_percent,gflops_per_s\n"
      "conv,,,100,78.94736842105263,8.666666666666668\nadd,,,4,2.1052631578947367,\n"
      "[unattributed],,,40,18.947368421052634,\n");
}

TEST(Cells, of_run_types) {
  expect_cells(labelled(types_table(two_operators(), std::nullopt), labelled_result()),
               with_label({{"type", {"Conv", "Add", "[profiling]", "[unattributed]"}},
                           {"count", {"1", "1", "", ""}},
                           {"plain_mean_us", {"65", "1", "", "34"}},
                           {"total_us", {"750", "20", "50", "180"}},
                           {"median_us", {"100", "4", "", "40"}},
                           {"share_percent", {"52", "0.8", "", "27.2"}},
                           {"flops", {"1300000", "", "", ""}},
                           {"gflops_per_s", {"20", "", "", ""}}}));
}

TEST(Cells, of_run_left) {
  OpProfile profile = two_operators();
  const auto row = [](const char* type, const char* provider, std::int64_t total) {
    OpRow made;
    made.name = made.type = type, made.provider = provider, made.device = "GPU", made.total = us(total);
    return made;
  };
  profile.ops = {row("Conv", "CUDAExecutionProvider", 500), row("NonZero", "CPUExecutionProvider", 200),
                 row("Unique", "CPUExecutionProvider", 100), row("MemcpyToHost", "CUDAExecutionProvider", 45),
                 row("If", "DnnlExecutionProvider", 25)};
  expect_cells(fallback_table(profile).value(), {{"left_operators", {"3"}},
                                                 {"left_to", {"CPU+Dnnl"}},
                                                 {"left_us", {"65"}},
                                                 {"device_copies", {"1"}},
                                                 {"device_copies_us", {"9"}}});
  EXPECT_EQ(
      fallback_ops_line(profile),
      "3 of 4 operators fell back from GPU to CPU+Dnnl: 65.0 µs per run (32.5 %), plus 1 copy (9.00 µs per run).\n");
  profile.ops.resize(1);
  EXPECT_EQ(to_csv(fallback_table(profile).value()),
            "left_operators,left_to,left_us,device_copies,device_copies_us\n0,,0,0,0\n");
}

TEST(Cells, of_run_instability) {
  Instability found;
  for (const Cause cause : {Cause::preempted, Cause::oversubscribed, Cause::throttled, Cause::steal, Cause::shared_core,
                            Cause::page_faults, Cause::first_run_effects})
    found.verdicts.push_back({cause, 0.125 * (1 + static_cast<int>(cause)),
                              fmt::format("because {}", static_cast<int>(cause)),
                              fmt::format("mend {}", static_cast<int>(cause))});
  found.verdicts[0].programs = {{"make", 2, {}, us(5)}, {"python3", 1, {77}, us(3)}};
  expect_cells(
      instability_table(found),
      {{"rank", {"1", "2", "3", "4", "5", "6", "7"}},
       {"cause",
        {"preempted", "oversubscribed", "throttled", "steal", "shared_core", "page_faults", "first_run_effects"}},
       {"excess_percent", {"12.5", "25", "37.5", "50", "62.5", "75", "87.5"}},
       {"programs", {"make (2 processes), python3 (process 77)", "", "", "", "", "", ""}},
       {"evidence", {"because 0", "because 1", "because 2", "because 3", "because 4", "because 5", "because 6"}},
       {"fix", {"mend 0", "mend 1", "mend 2", "mend 3", "mend 4", "mend 5", "mend 6"}}});
}

TEST(Cells, of_run_instances) {
  RunResult result = labelled_result();
  result.instances.resize(2);
  result.instances[0].samples = all_us({10, 20, 60}), result.instances[1].samples = all_us({40});
  expect_cells(instances_table(result), with_label({{"instance", {"0", "1"}},
                                                    {"instance_runs", {"3", "1"}},
                                                    {"instance_mean_us", {"30", "40"}},
                                                    {"instance_median_us", {"20", "40"}},
                                                    {"instance_p99_us", {"", ""}},
                                                    {"instance_throughput_per_s", {"33333.333333333336", "25000"}}}));
}

RunResult started(std::optional<bool> from_cache) {
  RunResult result;
  result.plain.emplace();
  result.plain->start_up = {us(1), us(2), from_cache}, result.plain->load_time = us(10);
  result.plain->warmup = all_us({40, 30}), result.plain->samples = all_us({20});
  return result;
}

TEST(Cells, of_run_startup) {
  RunResult result = started(true);
  expect_cells(startup_table(result).value(), {{"step", {"read", "compile", "other", "first run", "total"}},
                                               {"step_us", {"1", "2", "7", "40", "50"}},
                                               {"from_cache", {"", "yes", "", "", ""}}});
  EXPECT_EQ(startup_line(result),
            "Start-up 50.0 µs: read 1.00 µs, compile 2.00 µs (from the cache), other 7.00 µs, first run 40.0 µs\n");
  result = started(false), result.plain->start_up.read.reset(), result.plain->warmup.clear();
  expect_cells(startup_table(result).value(), {{"step", {"read", "compile", "other", "first run", "total"}},
                                               {"step_us", {"", "2", "8", "20", "30"}},
                                               {"from_cache", {"", "no", "", "", ""}}});
}

TEST(Cells, of_run_percentiles) {
  expect_cells(percentiles_table(two_passes(), {100, 25, 75}),
               {{"percentile_pass", {"plain", "plain", "plain", "profiled", "profiled", "profiled"}},
                {"percentile", {"100", "25", "75", "100", "25", "75"}},
                {"percentile_us", {"140", "", "", "238", "", ""}},
                {"host_percentile_us", {"125", "", "", "170", "", ""}},
                {"percentile_low_us", {"", "", "111.06666666666666", "", "", "143.74666666666667"}},
                {"percentile_high_us", {"", "128.93333333333334", "", "", "187.51999999999998", ""}},
                {"percentile_needs_runs", {"", "12", "12", "", "12", "12"}}});
}

TEST(Cells, of_run_shapes) {
  RunResult result;
  EXPECT_FALSE(shapes_table(result));
  result.turns = {{"x {1,4}", 64}, {"x {2,4}", std::nullopt}, {"x {1,4}", 64}};
  EXPECT_FALSE(shapes_table(result)) << "no pass";
  result.plain.emplace();
  result.plain->samples = all_us({10, 70, 30, 20, 50});  // of turns 0, 1, 2, 0, 1
  result.plain->resident = {100, 300, 200, std::nullopt, 250};
  expect_cells(shapes_table(result).value(), {{"turn_shapes", {"x {1,4}", "x {2,4}"}},
                                              {"turn_runs", {"3", "2"}},
                                              {"turn_first_us", {"10", "70"}},
                                              {"turn_median_us", {"20", "60"}},
                                              {"turn_max_us", {"30", "70"}},
                                              {"turn_resident_bytes", {"200", "300"}},
                                              {"turn_activation_bytes", {"64", ""}}});
  result.plain->resident.clear();
  EXPECT_EQ(to_csv(some_columns(*shapes_table(result), {"turn_resident_bytes"})), "turn_resident_bytes\n\n\n");
  result.throughput.emplace();
  EXPECT_FALSE(shapes_table(result)) << "which request had which is not known";
}

TEST(Cells, of_run_steps) {
  RunResult result;
  result.plain.emplace();
  result.plain->samples = all_us({10, 70, 30, 20, 50});
  EXPECT_FALSE(steps_table(result)) << "each run is alike";
  result.state_steps = 3;
  expect_cells(steps_table(result).value(), {{"state_step", {"1", "2", "3"}},
                                             {"step_runs", {"2", "2", "1"}},
                                             {"step_median_us", {"15", "60", "30"}},
                                             {"step_max_us", {"20", "70", "30"}}});
  result.state_steps = 8;
  EXPECT_EQ(to_csv(some_columns(*steps_table(result), {"state_step"})), "state_step\n1\n2\n3\n4\n5\n");
  result.plain.reset();
  EXPECT_FALSE(steps_table(result)) << "no pass";
}

TEST(Cells, of_run_throughput) {
  Throughput full{Hint::throughput, 4, 2, 8, 100, us(500), 200'000};
  expect_cells(throughput_table(full), {{"in_flight", {"4"}},
                                        {"streams", {"2"}},
                                        {"compute_threads", {"8"}},
                                        {"hint", {"throughput"}},
                                        {"completed", {"100"}},
                                        {"window_us", {"500"}},
                                        {"completed_per_s", {"200000"}}});
  full.hint = Hint::latency, full.streams.reset(), full.threads.reset();
  EXPECT_EQ(to_csv(some_columns(throughput_table(full), {"in_flight", "streams", "compute_threads", "hint"})),
            "in_flight,streams,compute_threads,hint\n4,,,latency\n");
}

FitResult three_settings() {
  FitResult fit;
  fit.rows.resize(3);
  FitRow &faster = fit.rows[1], &slower = fit.rows[2];
  fit.rows[0].median = Duration(100);
  faster.candidate.threads = 2, faster.median = Duration(75), faster.time_ratio = Interval{0.5, 0.875, 0.95};
  faster.properties = {{"INFERENCE_NUM_THREADS", "2"}, {"NUM_STREAMS", "1"}};
  slower.candidate.threads = 3, slower.median = Duration(125), slower.time_ratio = Interval{1.25, 1.5, 0.95};
  fit.best = fit.most_helpful = 1;
  return fit;
}

TEST(Cells, of_run_fitting) {
  expect_cells(fitting_table(three_settings()), {{"settings", {"defaults", "threads 2", "threads 3"}},
                                                 {"fit_median_us", {"100", "75", "125"}},
                                                 {"fit_low_percent", {"", "-50", "25"}},
                                                 {"fit_high_percent", {"", "-12.5", "50"}},
                                                 {"chosen", {blank, "yes", blank}},
                                                 {"own_settings", {"", "INFERENCE_NUM_THREADS=2 NUM_STREAMS=1", ""}}});
}

TEST(Cells, of_run_inputs) {
  RunResult result = labelled_result();
  result.input_values.push_back({"mask", ElementType::i64, {2}, to_bytes(std::vector<std::int64_t>{1, 2}), {}});
  result.input_origins.push_back("generated values");
  expect_cells(inputs_table(result), {{"input", {"x", "mask"}},
                                      {"shape", {"{1,4}", "{2}"}},
                                      {"element_type", {"float32", "int64"}},
                                      {"origin", {"values of x.npy", "generated values"}}});
}

TEST(Cells, of_run_notes) {
  RunResult result;
  result.notes = {"first", "second"};
  expect_cells(notes_table(result), {{"note", {"first", "second"}}});
}

TEST(Cells, of_run_iterations) {
  RunResult result = two_passes();
  result.plain->samples.resize(2), result.profiled->samples.resize(2);
  result.plain->host_samples[1] = us(126);
  expect_cells(iterations_table(result), {{"pass", {"plain", "plain", "profiled", "profiled"}},
                                          {"iteration", {"0", "1", "0", "1"}},
                                          {"start_us", {"0", "200", "", ""}},
                                          {"run_time_us", {"100", "110", "150", "132"}},
                                          {"host_run_time_us", {"125", "126", "170", "170"}}});
}

TEST(Sentences, of_the_memory_of_a_run_have_its_figures) {
  RunResult result = two_passes();
  EXPECT_EQ(memory_line(result, 200),
            "Memory 1002 B while loading, 1003 B while running, 1001 B before; weights 64 B, "
            "activations 48 B at most\n");
  result.plain.reset();
  EXPECT_THAT(memory_line(result, 200), HasSubstr("402 B while loading, 403 B while running, 401 B before"));
}

TEST(Sentences, of_a_run_have_its_figures) {
  RunResult result = two_passes();
  result.notes = {"a note"}, result.fit = three_settings();
  const OpProfile profile = two_operators();
  const std::string text = to_text(result, &profile, {.screen = {.width = 200}});
  EXPECT_THAT(text, HasSubstr("model    dir/net.onnx\nruntime  openvino 2026.1 on GPU (as asked)\n"
                              "input    x {1,4} float32, values of x.npy\nnote     a note\n"));
  EXPECT_THAT(text, HasSubstr("  threads 2            INFERENCE_NUM_THREADS=2\n  threads 2            NUM_STREAMS=1\n"
                              "Measured with threads 2.\n"));
  EXPECT_THAT(text, testing::EndsWith("What helps most: threads 2, with which a run takes 25.0 % less time than with "
                                      "the defaults (95 %: 12.5 to 50.0 % less); in your program: "
                                      "INFERENCE_NUM_THREADS=2 NUM_STREAMS=1.\n"));
  EXPECT_THAT(text, HasSubstr("p99 needs 300 runs; these are 5 (--iter 300).\n"));
  EXPECT_THAT(text, HasSubstr("120 µs per run (median of 5 plain runs), 7777 runs/s, loaded in 5.00 ms\n"));
  EXPECT_THAT(text, HasSubstr("Operators, over 5 profiled runs (1.00 ms measured)\n"));
  EXPECT_THAT(text, HasSubstr("FLOPs, bytes and shapes are known for 62.5 % of operator time.\n"));
  EXPECT_THAT(text, HasSubstr("Profiling overhead +50.0 % (95 %: "));
  EXPECT_THAT(text,
              HasSubstr("Std dev     15.8 µs   43.8 µs\nMin        100.0 µs  132.0 µs\nMedian     120.0 µs  150.0 µs\n"
                        "p90        136.0 µs  219.6 µs\np99               –         –\nMax        140.0 µs  238.0 µs\n"
                        "Host mean  125.0 µs  170.0 µs\nRuns/s         7777      5848\n"));
}

}  // namespace
}  // namespace takt
