#include "measure/operators/op_profile.h"

#include <gmock/gmock.h>

#include "measure/operators/table.h"
#include "measure/report/run_tables.h"
#include "measure/report/run_text.h"
#include "measure/run/results.h"

namespace takt {
namespace {

using testing::ElementsAre;

const Cell& cell(const Table& table, std::size_t row, std::string_view column) {
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    if (table.columns[c].name == column) return table.rows.at(row).at(c);
  throw std::out_of_range(std::string(column));
}

std::vector<std::string> names(const Table& table) {
  std::vector<std::string> texts;
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    texts.push_back(std::get<std::string>(cell(table, row, "name")));
  return texts;
}

Nanoseconds sum_of_ops(const OpProfile& profile) {
  Nanoseconds sum{};
  for (const OpRow& row : profile.ops) sum += row.total;
  return sum;
}

RunResult three_runs() {
  return profiled_result({
      {100, {sample("a", "Conv", 0, 30), sample("b", "Relu", 30, 20), sample("a", "Conv", 50, 5)}},
      {107, {sample("a", "Conv", 0, 31), sample("b", "Relu", 31, 21)}},
      {93, {sample("a", "Conv", 0, 29), sample("c", "If", 29, 7)}},
  });
}

TEST(OpProfile, adds_up_to_the_nanosecond) {
  const OpProfile profile = profile_ops(three_runs());
  EXPECT_EQ(profile.runs, 3);
  EXPECT_EQ(profile.measured, ns(300));
  EXPECT_EQ(profile.unattributed, ns(300 - 30 - 20 - 5 - 31 - 21 - 29 - 7));
  EXPECT_EQ(sum_of_ops(profile) + profile.unattributed, profile.measured);
  EXPECT_THAT(profile.unattributed_samples, ElementsAre(ns(45), ns(55), ns(57)));
}

TEST(OpProfile, counts_every_execution_and_a_run_without_one_as_zero) {
  const OpProfile profile = profile_ops(three_runs());
  ASSERT_EQ(profile.ops.size(), 3u);
  EXPECT_EQ(profile.ops[0].name, "a") << "in order of first execution";
  EXPECT_EQ(profile.ops[0].calls, 4);
  EXPECT_THAT(profile.ops[0].samples, ElementsAre(ns(35), ns(31), ns(29)));
  EXPECT_EQ(profile.ops[1].calls, 2);
  EXPECT_THAT(profile.ops[1].samples, ElementsAre(ns(20), ns(21), ns(0)));
  EXPECT_THAT(profile.ops[2].samples, ElementsAre(ns(0), ns(0), ns(7)));
}

TEST(OpProfile, overlapping_operators_leave_a_negative_remainder_that_is_shown) {
  const OpProfile profile =
      profile_ops(profiled_result({{100, {sample("a", "Conv", 0, 90), sample("b", "Conv", 5, 80)}}}));
  EXPECT_EQ(profile.unattributed, ns(-70));
  EXPECT_EQ(sum_of_ops(profile) + profile.unattributed, ns(100));
  const Table table = operators_table(profile, std::nullopt);
  EXPECT_EQ(std::get<Duration>(cell(table, 2, "total_us")), Duration(ns(-70)));
  EXPECT_DOUBLE_EQ(std::get<double>(cell(table, 2, "share_percent")), -70);
}

TEST(OpProfile, kernels_of_one_name_stay_apart) {
  const OpSample fast = with(sample("a", "Conv", 0, 10), [](ExecutedNode& node) { node.kernel = "jit"; });
  const OpSample slow = with(sample("a", "Conv", 10, 20), [](ExecutedNode& node) { node.kernel = "ref"; });
  EXPECT_EQ(profile_ops(profiled_result({{40, {fast, slow}}})).ops.size(), 2u);
}

TEST(OpProfile, a_run_without_operators_is_all_unattributed) {
  const OpProfile profile = profile_ops(profiled_result({{100, {}}}));
  EXPECT_EQ(profile.unattributed, ns(100));
  EXPECT_EQ(profile.known_share, 0);
  EXPECT_THAT(names(operators_table(profile, 3)), ElementsAre("[unattributed]"));
}

TEST(OpProfile, work_comes_from_the_model_and_is_missing_where_it_is_not_known) {
  RunResult result =
      profiled_result({{100,
                        {sample("k", "Conv", 0, 30, {"relu", "add"}), sample("odd", "Magic", 30, 20, {"odd"}),
                         sample("re", "Reorder", 50, 10), sample("x", "Unheard", 60, 20)}}});
  result.graph = GraphSketch({2, 8})
                     .op("add", "Add", {"x", "y"})
                     .op("relu", "Relu", {"add"})
                     .op("odd", "Magic", {"relu"})
                     .graph("odd");
  const OpProfile profile = profile_ops(result);
  EXPECT_EQ(profile.ops[0].flops, 32) << "16 sums and 16 comparisons";
  EXPECT_EQ(profile.ops[0].bytes, 3 * 64) << "x, y and what Relu writes, not what is between";
  EXPECT_THAT(profile.ops[0].inputs, ElementsAre("x", "y"));
  EXPECT_THAT(profile.ops[0].outputs, ElementsAre("relu"));
  EXPECT_THAT(profile.ops[0].output_shapes, ElementsAre(Shape{2, 8}));
  EXPECT_EQ(profile.ops[1].flops, std::nullopt);
  EXPECT_EQ(profile.ops[2].flops, 0) << "a change of layout computes nothing";
  EXPECT_EQ(profile.ops[2].bytes, std::nullopt);
  EXPECT_EQ(profile.ops[3].flops, std::nullopt);
  EXPECT_DOUBLE_EQ(profile.known_share, 30.0 / 80);
}

TEST(OpProfile, weights_are_told_apart_from_what_operators_write) {
  RunResult result =
      profiled_result({{100, {sample("k", "MatMul", 0, 30, {"mul", "relu"}), sample("one", "Add", 30, 20, {"one"})}}});
  GraphSketch sketch({2, 8});
  sketch.tensor("w", true), sketch.tensor("v", true);
  result.graph =
      sketch.op("mul", "Mul", {"x", "w"}).op("relu", "Relu", {"mul"}).op("one", "Add", {"relu", "v"}).graph("one");
  const OpProfile profile = profile_ops(result);
  EXPECT_EQ(profile.ops[0].bytes, 3 * 64);
  EXPECT_EQ(profile.ops[0].constant_bytes, 64) << "of a fused kernel";
  EXPECT_EQ(profile.ops[1].constant_bytes, 64) << "of one operator";
}

/// 200 layers, each with weights of 1 KiB: 200 KiB in all.
RunResult many_layers(std::int64_t layer_ns) {
  std::vector<OpSample> samples;
  GraphSketch sketch({256});
  std::string last = "x";
  for (int i = 0; i < 200; ++i) {
    const std::string name = "layer" + std::to_string(i), weights = "w" + std::to_string(i);
    sketch.tensor(weights, true);
    sketch.op(name, "Mul", {last, weights});
    samples.push_back(sample(name, "Mul", i * layer_ns, layer_ns, {name}));
    last = name;
  }
  RunResult result = profiled_result({{200 * layer_ns, samples}});
  result.graph = sketch.graph(last);
  return result;
}

/// A cache of 8 KiB with 50 GB/s, memory with 1 GB/s, 1 GFLOP/s.
Peaks small_machine() {
  const auto pair = [](double rate) { return PeakPair{{rate, rate}, {rate, rate}}; };
  Peaks peaks;
  peaks.compute.push_back({NumberType::f32, "AVX2", pair(1e9)});
  peaks.levels.push_back({"L1", 8192, 8192, pair(50e9), pair(50e9)});
  peaks.levels.push_back({"DRAM", std::nullopt, std::nullopt, pair(1e9), pair(1e9)});
  return peaks;
}

TEST(OperatorsTable, layers_that_fit_a_cache_one_by_one_are_held_to_memory_when_all_do_not) {
  const Peaks peaks = small_machine();
  const FigureSettings figures{&peaks, true, true};
  const Table table = operators_table(profile_ops(many_layers(2000)), std::nullopt, &figures);
  EXPECT_EQ(std::get<std::string>(cell(table, 0, "memory_level")), "DRAM");
  EXPECT_EQ(std::get<std::string>(cell(table, 0, "roofline")), "memory bound");
  EXPECT_NEAR(std::get<double>(cell(table, 0, "peak_share_percent")), 51.2, 0.1) << "1024 bytes at 1 GB/s of 2 µs";
}

TEST(OperatorsTable, a_rate_above_the_measured_peak_is_marked_without_being_asked_for) {
  const Peaks peaks = small_machine();
  const FigureSettings figures{&peaks, true};
  const Table real = operators_table(profile_ops(many_layers(2000)), 1, &figures);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(real, 0, "impossible")));
  const Table wrong = operators_table(profile_ops(many_layers(30)), 1, &figures);  // 102 GB/s, 8.5 GFLOP/s
  EXPECT_EQ(std::get<std::string>(cell(wrong, 0, "impossible")), "GFLOP/s, GB/s");
  const Table unknown = operators_table(profile_ops(many_layers(30)), 1);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(unknown, 0, "impossible"))) << "no peaks, no verdict";
}

TEST(RunText, says_of_a_rate_that_cannot_be_that_it_cannot) {
  const Peaks peaks = small_machine();
  RunTextSettings settings;
  settings.figures = {&peaks, true};
  const auto text = [&](std::int64_t layer_ns) {
    const RunResult result = many_layers(layer_ns);
    const OpProfile profile = profile_ops(result);
    return to_text(result, &profile, settings);
  };
  EXPECT_THAT(text(2000), testing::Not(testing::HasSubstr("mpossible")));
  EXPECT_THAT(text(30), testing::HasSubstr("Above peak"));
  EXPECT_THAT(text(30), testing::HasSubstr("Rates marked as above peak exceed"));
  settings.columns = {"name", "gflops_per_s"};
  settings.figures.columns = true;
  EXPECT_THAT(text(30), testing::HasSubstr("GFLOP/s, GB/s")) << "though nobody asked for the mark";
  EXPECT_THAT(text(30), testing::HasSubstr("Rates marked as above peak exceed"));
}

TEST(MedianRun, is_the_lower_one_and_the_first_of_equals) {
  EXPECT_EQ(median_run({ns(5)}), 0u);
  EXPECT_EQ(median_run({ns(9), ns(1)}), 1u);
  EXPECT_EQ(median_run({ns(4), ns(1), ns(3), ns(2)}), 3u);
  EXPECT_EQ(median_run({ns(3), ns(1), ns(2)}), 2u);
  EXPECT_EQ(median_run({ns(7), ns(7), ns(7)}), 1u);
}

TEST(OperatorsTable, is_ordered_by_time_with_the_remainder_last) {
  const Table table = operators_table(profile_ops(three_runs()), std::nullopt);
  EXPECT_THAT(names(table), ElementsAre("a", "b", "c", "[unattributed]"));
  EXPECT_EQ(std::get<Duration>(cell(table, 0, "total_us")), Duration(ns(95)));
  EXPECT_EQ(std::get<Duration>(cell(table, 0, "median_us")), Duration(ns(31)));
  EXPECT_EQ(std::get<std::int64_t>(cell(table, 0, "calls")), 4);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(table, 0, "flops"))) << "not known is not zero";
  EXPECT_EQ(std::get<Duration>(cell(table, 3, "median_us")), Duration(ns(55)));
}

TEST(OperatorsTable, of_the_first_few_still_adds_up) {
  const OpProfile profile = profile_ops(three_runs());
  for (int top = 0; top <= 3; ++top) {
    const Table table = operators_table(profile, top);
    Duration sum{};
    double share = 0;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      sum += std::get<Duration>(cell(table, row, "total_us"));
      share += std::get<double>(cell(table, row, "share_percent"));
    }
    EXPECT_NEAR(sum.count(), 0.3, 1e-12) << top;
    EXPECT_NEAR(share, 100, 1e-9) << top;
    EXPECT_EQ(names(table).back(), "[unattributed]");
  }
  EXPECT_THAT(names(operators_table(profile, 1)), ElementsAre("a", "[2 other operators]", "[unattributed]"));
  EXPECT_THAT(names(operators_table(profile, 0)), ElementsAre("[3 other operators]", "[unattributed]"));
  EXPECT_EQ(names(operators_table(profile, 99)).size(), 4u);
}

TEST(SummaryTable, has_a_row_per_pass_and_no_deviation_of_a_single_run) {
  RunResult result = three_runs();
  result.plain.emplace();
  result.plain->samples = {ns(50)}, result.plain->host_samples = {ns(60)};
  const Table table = summary_table(result);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(cell(table, 0, "pass")), "plain");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell(table, 0, "stddev_us")));
  EXPECT_DOUBLE_EQ(std::get<double>(cell(table, 0, "throughput_per_s")), 2e7);
  EXPECT_NEAR(std::get<Duration>(cell(table, 1, "mean_us")).count(), 0.1, 1e-12);
  EXPECT_NEAR(std::get<Duration>(cell(table, 1, "host_mean_us")).count(), 0.101, 1e-12);
  EXPECT_EQ(std::get<std::string>(cell(table, 1, "pass")), "profiled");
}

TEST(RunColumns, each_is_explained) {
  for (const TableSchema& table : run_schemas())
    for (const ColumnSchema& column : table.columns) EXPECT_GT(column.meaning.size(), 10u) << column.name;
}

}  // namespace
}  // namespace takt
