// What stands in which cell of the tables of `takt scenario`, and behind which key of metrics.json.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "table_cells.h"
#include "training/scenario/metrics_file.h"
#include "training/scenario/tables.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

ScenarioOutcome outcome() {
  ScenarioOutcome one;
  ScenarioSettings& s = one.settings;
  s.scenario = Scenario::sync, s.strength = FaultStrength::mild, s.device = "cuda", s.batch_size = 11,
  s.num_workers = 12;
  s.warmup_steps = 13, s.profile_steps = 14, s.pin_memory = true, s.seed = 15, s.image_size = 16, s.width = 17;
  s.threads = 18, s.with_stack = true;
  one.trace_dir = "out";
  one.run = {{100ms, 150ms}, {20ms, 40ms}, "a.trace.json", "cpu", "2.9", "kineto", 0.625};
  one.figures = {2, 0.125, 21, 22, 23552};
  return one;
}

OperatorTimes operators() { return {true, 1'000'000, {{"conv", 8, 500'000}, {"relu", 5, 125'000}}}; }

TEST(Cells, of_scenario_scenario) {
  expect_cells(table_named(scenario_tables(outcome(), operators()), "scenario"),
               {{"scenario", {"sync"}},
                {"strength", {"mild"}},
                {"trained_on", {"cpu"}},
                {"avg_step_time_s", {"0.125"}},
                {"avg_dataloader_wait_s", {"0.03"}},
                {"data_wait_percent", {"12.5"}},
                {"reads_per_step", {"21"}},
                {"operators_per_step", {"22"}},
                {"bytes_per_step", {"23552"}},
                {"training_trace", {"a.trace.json"}}});
  ScenarioOutcome untold = outcome();
  untold.figures = {2, {}, {}, {}, {}};
  expect_cells(
      some_columns(table_named(scenario_tables(untold, operators()), "scenario"), {"scenario", "data_wait_percent"}),
      {{"scenario", {"sync"}}, {"data_wait_percent", {""}}});
}

TEST(Cells, of_scenario_top_operators) {
  expect_cells(table_named(scenario_tables(outcome(), operators()), "top_operators"),
               {{"training_operator", {"conv", "relu"}},
                {"calls_per_step", {"4", "2.5"}},
                {"self_per_step_us", {"250", "62.5"}},
                {"self_percent", {"50", "12.5"}},
                {"self_time_of", {"device", "device"}}});
  const OperatorTimes none{false, 0, {{"conv", 8, 0}}};
  expect_cells(table_named(scenario_tables(outcome(), none), "top_operators"), {{"training_operator", {"conv"}},
                                                                                {"calls_per_step", {"4"}},
                                                                                {"self_per_step_us", {"0"}},
                                                                                {"self_percent", {""}},
                                                                                {"self_time_of", {"cpu"}}});
}

TEST(Sentences, of_a_scenario_have_its_figures) {
  EXPECT_THAT(
      scenario_text(outcome(), operators(), {.width = 300}),
      testing::StartsWith(
          "avg_step_time_s        0.125000\navg_dataloader_wait_s  0.030000\n\nsync (mild), 2 steps on cpu, recorded "
          "by kineto of libtorch 2.9. Per step: 12.5 % waiting for data, 21 values read back, 22 operators, 23.0 KiB "
          "of memory allocated.\n"));
}

TEST(Keys, of_metrics_have_their_values) {
  auto file = nlohmann::json::parse(metrics_json(outcome(), {}));
  file["takt"].erase("provenance");
  EXPECT_EQ(file, nlohmann::json::parse(R"({
    "scenario": "sync", "batch_size": 11, "num_workers": 12, "pin_memory": true, "amp": false,
    "avg_step_time_s": 0.125, "avg_dataloader_wait_s": 0.03, "trace_dir": "out",
    "takt": {"strength": "mild", "device": "cpu", "torch_version": "2.9", "profiler": "kineto",
             "trace_file": "a.trace.json", "seed": 15, "warmup_steps": 13, "profile_steps": 14, "with_stack": true,
             "image_size": 16, "width": 17, "last_loss": 0.625, "step_times_ns": [100000000, 150000000],
             "data_waits_ns": [20000000, 40000000], "data_wait_share": 0.125, "reads_per_step": 21.0,
             "operators_per_step": 22.0, "bytes_per_step": 23552.0}})"));
}

TEST(Keys, of_the_trainer_s_lines_have_their_values) {
  EXPECT_EQ(nlohmann::json::parse(result_line(outcome().run)), nlohmann::json::parse(R"({
    "step_times_ns": [100000000, 150000000], "data_waits_ns": [20000000, 40000000], "trace_file": "a.trace.json",
    "device": "cpu", "torch_version": "2.9", "profiler": "kineto", "last_loss": 0.625})"));
}

}  // namespace
}  // namespace takt
