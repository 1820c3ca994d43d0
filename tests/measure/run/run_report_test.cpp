// What `takt run` tells of one result: tables that stand alone, and the text with the answer first.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "measure/operators/table.h"
#include "measure/operators/type_table.h"
#include "measure/report/instability_text.h"
#include "measure/report/model_explorer.h"
#include "measure/report/run_facts.h"
#include "measure/report/run_tables.h"
#include "measure/report/run_text.h"
#include "measure/report/run_trace.h"
#include "measure/run/label.h"
#include "measure/run/results.h"
#include "refused.h"
#include "trace/write/chrome_writer.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> texts(const Table& table, std::string_view column) {
  std::vector<std::string> list;
  for (const auto& row : some_columns(table, {column}).rows) list.push_back(std::get<std::string>(row.at(0)));
  return list;
}

Duration report_sum(const Table& table, std::string_view column) {
  Duration sum{};
  for (const auto& row : some_columns(table, {column}).rows) sum += std::get<Duration>(row.at(0));
  return sum;
}

/// Ten runs; in one of them another program had the processor while "late" ran.
RunResult disturbed_runs() {
  std::vector<std::pair<std::int64_t, std::vector<OpSample>>> runs;
  for (int i = 0; i < 10; ++i) {
    const std::int64_t late = i == 3 ? 9000 : 100;
    runs.push_back({1000 + late,
                    {sample("early", "Conv", 0, 400), sample("late", "Add", 400, late),
                     sample("again", "Conv", 400 + late, 300)}});
  }
  RunResult result = profiled_result(std::move(runs));
  for (int i = 0; i < 10; ++i) result.profiled->starts.push_back(ns(20'000 * i));
  return result;
}

TEST(OperatorsTable, is_not_reordered_by_a_disturbed_run_which_is_marked) {
  const Table table = operators_table(profile_ops(disturbed_runs()), std::nullopt);
  EXPECT_THAT(texts(table, "name"), ElementsAre("early", "again", "late", "[unattributed]"));
  const Table marks = some_columns(table, {"mean_over_median"});
  EXPECT_DOUBLE_EQ(std::get<double>(marks.rows[2][0]), 9.9) << "990 over 100";
  EXPECT_TRUE(std::holds_alternative<std::monostate>(marks.rows[0][0]));
}

TEST(TypesTable, adds_up_however_many_types_are_shown) {
  const OpProfile profile = profile_ops(disturbed_runs());
  for (const auto& top : {std::optional<int>(), std::optional(0), std::optional(1), std::optional(9)}) {
    const Table table = types_table(profile, top);
    EXPECT_NEAR(report_sum(table, "total_us").count(), Duration(profile.measured).count(), 1e-9);
    EXPECT_EQ(texts(table, "type").back(), "[unattributed]");
  }
  EXPECT_THAT(texts(types_table(profile, std::nullopt), "type"), ElementsAre("Conv", "Add", "[unattributed]"));
  EXPECT_THAT(texts(types_table(profile, 1), "type"), ElementsAre("Conv", "[1 other types]", "[unattributed]"));
  const Table median = some_columns(types_table(profile, std::nullopt), {"median_us"});
  EXPECT_EQ(std::get<Duration>(median.rows[0][0]), Duration(ns(700))) << "of the sums of each run";
}

TEST(TypesTable, a_rate_is_missing_where_the_work_of_one_operator_is) {
  RunResult result = profiled_result({{100, {sample("a", "Add", 0, 10, {"a"}), sample("m", "Magic", 10, 10, {"m"})}}});
  result.graph = GraphSketch().op("a", "Add", {"x", "y"}).op("m", "Magic", {"a"}).graph("m");
  const Table table = some_columns(types_table(profile_ops(result), std::nullopt), {"type", "flops"});
  for (const auto& row : table.rows)
    EXPECT_EQ(std::holds_alternative<double>(row[1]), std::get<std::string>(row[0]) == "Add");
}

TEST(RunLabel, tells_which_model_was_fed_with_what) {
  RunResult result = disturbed_runs();
  result.content = ModelContent{{}, "0123456789abcdef"}, result.precision = ElementType::bf16;
  result.input_values.resize(2);
  result.input_values[0].name = "x", result.input_values[0].shape = {1, 3};
  result.input_values[1].name = "mask", result.input_values[1].type = ElementType::i64;
  result.input_origins = {"generated values", "values of m.npy"};
  const Table table = labelled(operators_table(profile_ops(result), std::nullopt), result);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    EXPECT_EQ(texts(table, "model")[row], "model.onnx");
    EXPECT_EQ(texts(table, "model_hash")[row], "0123456789abcdef");
    EXPECT_EQ(texts(table, "precision")[row], "bfloat16");
    EXPECT_EQ(texts(table, "inputs")[row], "x {1,3} float32, mask {} int64");
  }
  EXPECT_EQ(without_labels(table).columns.size() + 4, table.columns.size());
  EXPECT_THAT(texts(inputs_table(result), "origin"), ElementsAre("generated values", "values of m.npy"));
}

TEST(RunLabel, the_precision_is_that_of_the_models_operators_where_the_runtime_does_not_tell) {
  RunResult result = disturbed_runs();
  EXPECT_EQ(precision_of(result), "");
  result.graph = GraphSketch().op("a", "Add", {"x", "y"}).op("b", "Relu", {"a"}).graph("b");
  EXPECT_EQ(precision_of(result), "float32");
  result.graph->tensor(result.graph->ops[0].outputs[0]).type = ElementType::f16;
  EXPECT_EQ(precision_of(result), "float16+float32");
  result.precision = ElementType::bf16;
  EXPECT_EQ(precision_of(result), "bfloat16");
}

TEST(RunLabel, constants_and_what_counts_do_not_tell_the_precision) {
  const auto precision_beside = [](ElementType type, bool constant) {
    RunResult result = disturbed_runs();
    result.graph = GraphSketch().op("k", "Constant", {}, constant).op("b", "Relu", {"x"}).graph("b");
    result.graph->tensor(result.graph->ops[0].outputs[0]).type = type;
    return precision_of(result);
  };
  EXPECT_EQ(precision_beside(ElementType::f64, true), "float32") << "it is made when the model is loaded";
  EXPECT_EQ(precision_beside(ElementType::f64, false), "float32+float64");
  for (const auto& [type, text] : {std::pair(ElementType::f16, "float16+float32"),
                                   {ElementType::i8, "float32+int8"},
                                   {ElementType::u8, "float32+uint8"},
                                   {ElementType::bf16, "bfloat16+float32"},
                                   {ElementType::i64, "float32"},
                                   {ElementType::boolean, "float32"}})
    EXPECT_EQ(precision_beside(type, false), text);
}

TEST(IterationsTable, has_every_run_with_its_times) {
  const Table table = iterations_table(disturbed_runs());
  ASSERT_EQ(table.rows.size(), 10u);
  EXPECT_EQ(to_csv(table).substr(0, to_csv(table).find("\nprofiled,1,")),
            "pass,iteration,start_us,run_time_us,host_run_time_us\nprofiled,0,0,1.1,1.101");
}

TEST(RunTrace, names_of_operators_are_those_of_the_table) {
  RunResult result = profiled_result({{100, {sample("r64_nchwc", "Conv", 0, 30, {"conv", "relu"})}}});
  result.profiled->starts = {ns(0)};
  result.graph = GraphSketch().op("conv", "Conv", {"x", "w"}).op("relu", "Relu", {"conv"}).graph("relu");
  const OpProfile profile = profile_ops(result);
  const std::string text = to_chrome_json(make_trace(result, profile, Provenance{}));
  EXPECT_THAT(text, HasSubstr("\"name\":\"" + profile.ops[0].name + "\""));
  EXPECT_THAT(text, HasSubstr("\"node\":\"r64_nchwc\""));
  EXPECT_THAT(text, Not(HasSubstr("\"name\":\"r64_nchwc\"")));
}

TEST(RunText, begins_with_the_time_of_a_run_and_fits_the_screen) {
  RunResult result = disturbed_runs();
  result.plain.emplace();
  for (int i = 0; i < 20; ++i) {
    result.plain->samples.push_back(std::chrono::microseconds(30 + i % 4));
    result.plain->host_samples.push_back(result.plain->samples.back());
  }
  const OpProfile ops = profile_ops(result);
  for (const std::size_t width : {60, 80, 200}) {
    const std::string text = to_text(result, &ops, {.screen = {.width = width}});
    EXPECT_LT(text.find("31.5 µs per run (median of 20 plain runs)"), text.find("By type"));
    EXPECT_LT(text.find("By type"), text.find("Operators, over"));
    EXPECT_THAT(text, HasSubstr("30.0 µs █"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
    for (const auto& line : split(text, '\n')) EXPECT_LE(display_width(line), std::max<std::size_t>(width, 80)) << line;
  }
}

TEST(ModelExplorer, keys_are_of_the_models_graph_and_values_add_up) {
  RunResult result =
      profiled_result({{100,
                        {sample("k", "Conv", 0, 30, {"conv", "relu"}), sample("Add_7", "Add", 30, 20, {"Add_7"}),
                         sample("reorder", "ReorderOutput", 50, 10)}},
                       {120, {sample("Add_7", "Add", 0, 40, {"Add_7"})}}});
  Graph graph = GraphSketch()
                    .op("conv", "Conv", {"x", "w"})
                    .op("relu", "Relu", {"conv"})
                    .op("Add_7", "Add", {"relu", "y"})
                    .graph("Add_7");
  graph.name = "net";
  graph.tensor(graph.ops[2].outputs[0]).name = "sum \"of\" two";
  result.graph = graph;
  const OpProfile profile = profile_ops(result);
  const NodeData data = to_model_explorer(result, profile);
  const auto json = nlohmann::json::parse(data.json);
  ASSERT_EQ(json.size(), 1u);
  const auto& results = json.at("net").at("results");
  double sum = 0;
  for (const auto& node : results.items()) {
    const std::string& key = node.key();
    const bool is_operator =
        std::any_of(graph.ops.begin(), graph.ops.end(), [&](const Op& op) { return op.name == key; });
    EXPECT_TRUE(is_operator || graph.find_tensor(key)) << key;
    sum += node.value().at("value").get<double>();
  }
  EXPECT_EQ(results.size(), 2u);
  EXPECT_NEAR(results.at("sum \"of\" two").at("value").get<double>(), 0.03, 1e-12) << "60 ns in two runs";
  EXPECT_NEAR(sum, data.shown.count(), 1e-12);
  EXPECT_NEAR((data.shown + data.not_shown).count(), Duration(profile.measured).count() / 2, 1e-12);
  EXPECT_EQ(json.at("net").at("gradient").front().at("stop"), 0);
  EXPECT_EQ(json.at("net").at("gradient").back().at("stop"), 1);
  result.graph.reset();
  EXPECT_EQ(refused_with([&] { to_model_explorer(result, profile); }),
            "model.onnx: its graph cannot be read, so there are no nodes for the times");
}

/// Twenty runs of 1 ms, in each of which the process waited for a processor as long; the last took `slowest`.
RunResult held_up_runs(std::chrono::microseconds slowest) {
  RunResult result = disturbed_runs();
  result.plain.emplace();
  result.cpu_limit.cpus = 2;
  for (int i = 0; i < 20; ++i) {
    const Nanoseconds time = i == 19 ? slowest : std::chrono::microseconds(1000);
    UsageSpan span{1, time, {}};
    span.used.run_delay = time, span.used.cpu_time = time, span.used.machine_busy = 3 * time;
    result.plain->samples.push_back(time);
    result.plain->host_samples.push_back(time);
    result.plain->usage.push_back(span);
  }
  return result;
}

TEST(InstabilityText, runs_that_take_nearly_the_same_time_are_not_called_unstable) {
  const std::string steady = instability_text(held_up_runs(std::chrono::microseconds(1050)), {});
  EXPECT_THAT(steady, HasSubstr("The runs are steady (the slowest 1 of 20 runs took 1.05x the median), but"));
  EXPECT_THAT(steady, HasSubstr("preempted: other processes"));
  EXPECT_THAT(steady, Not(HasSubstr("Unstable")));
  const std::string unstable = instability_text(held_up_runs(std::chrono::microseconds(2000)), {});
  EXPECT_THAT(unstable, HasSubstr("Unstable: the slowest 1 of 20 runs took 2.00x the median. Why:"));
  EXPECT_THAT(unstable, HasSubstr("waiting"));
}

}  // namespace
}  // namespace takt
