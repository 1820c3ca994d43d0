#include "report/results/plan_sentences.h"

#include <gtest/gtest.h>

#include "report/made_tables.h"

namespace takt {
namespace {

using namespace std::string_literals;

ReportResult said(std::string_view command, std::vector<ReportTable> tables, std::vector<ReportPoint> points = {}) {
  ReportResult result;
  result.tables = std::move(tables);
  result.points = std::move(points);
  EXPECT_TRUE(add_plan_sentences(result, command)) << command;
  return result;
}

ReportTable plans() {
  return made_table("plans", {{{"plan_rank", std::int64_t{1}},
                               {"plan", "GPU[1-4] | NPU[5-7]"s},
                               {"latency_ms", 54.4},
                               {"makespan_ms", 560.0},
                               {"speed_up", 4.63},
                               {"optimal", "yes"s}}});
}

ReportTable search(const std::string& objective) {
  return made_table("search", {{{"objective", objective}, {"stream_batches", std::int64_t{16}}, {"gap", 0.0}}});
}

TEST(PlanSentences, of_a_search_has_the_objective_s_time) {
  const ReportResult batch = said("plan search", {plans(), search("latency")});
  EXPECT_EQ(batch.headline, "GPU[1-4] | NPU[5-7]: 54.4 ms a batch, 4.63 times as fast as the best single unit");
  EXPECT_EQ(batch.lede, "For these costs no plan is better: that is proven.");
  EXPECT_EQ(said("plan search", {plans(), search("throughput")}).headline,
            "GPU[1-4] | NPU[5-7]: 560 ms for 16 batches, 4.63 times as fast as the best single unit");
}

ReportResult plan_run(const std::string& numbers, double low, double high) {
  return said(
      "plan run",
      {made_table("plan_runs",
                  {{{"role", "found"s}, {"plan", "CPU[1] | GPU[2]"s}, {"really_us", 10'600.0}, {"numbers", numbers}}}),
       made_table("plan_choice", {{{"over_single_percent", (low + high) / 2},
                                   {"over_single_low_percent", low},
                                   {"over_single_high_percent", high},
                                   {"mean_error_percent", 2.4},
                                   {"regret_percent", 0.0}}})});
}

TEST(PlanSentences, of_a_search_say_why_the_gain_is_not_sure) {
  const auto differences = [](const char* verdict, const char* reason) {
    return made_table("differences", {{{"plan_verdict", verdict}, {"verdict_reason", reason}}});
  };
  const auto lede = [&](const char* verdict, const char* reason) {
    return said("plan search", {plans(), search("latency"), differences(verdict, reason)}).lede;
  };
  EXPECT_EQ(
      lede("unknown", "the costs have no intervals"),
      "For these costs no plan is better: that is proven. How sure the gain is cannot be told: the costs have no intervals.");
  EXPECT_EQ(lede("faster", ""),
            "For these costs no plan is better: that is proven. Against the best single unit: faster.");
}

TEST(PlanSentences, of_plans_that_were_run_say_wrong_numbers_first_and_what_cannot_be_told) {
  EXPECT_EQ(plan_run("right", -10, -6).headline,
            "CPU[1] | GPU[2] takes 10.6 ms, 8.0 % less than the best single unit (-10.0 to -6.0 %)");
  EXPECT_EQ(plan_run("right", -10, 2).headline,
            "CPU[1] | GPU[2] takes 10.6 ms; these runs cannot tell it from the best single unit (-10.0 to 2.0 %)");
  EXPECT_EQ(plan_run("wrong", -10, -6).headline, "CPU[1] | GPU[2] computes other outputs than the model");
  EXPECT_EQ(plan_run("right", -10, -6).lede,
            "Estimates were 2.4 % off on average. The plan that the search named was the fastest that was run.");
}

ReportPoint point(const std::string& stage, const std::string& unit, std::int64_t nodes, double us) {
  return {stage, unit, nodes, 10, Duration(us), {}, {}, {}};
}

TEST(PlanSentences, of_a_sweep_counts_the_stages_that_a_unit_wins) {
  const std::vector<ReportPoint> points{point("1", "CPU", 5, 9), point("1", "GPU", 5, 4), point("2", "CPU", 5, 1),
                                        point("2", "GPU", 5, 4), point("3", "CPU", 5, 1), point("3", "GPU", 5, 2)};
  EXPECT_EQ(said("sweep", {}, points).headline, "No unit is the best for all 3 stages: CPU 2, GPU 1");
  EXPECT_EQ(said("sweep", {}, {points[0], points[1]}).headline, "GPU is the fastest");
  EXPECT_EQ(said("sweep", {}, {points[0]}).headline, "1 takes longest: up to 9.00 µs on CPU");
}

TEST(PlanSentences, of_predictions) {
  const ReportResult one = said("predict", {made_table("summary", {{{"model", "models/net.onnx"s},
                                                                    {"predicted_ms", 3.1},
                                                                    {"low_ms", 2.8},
                                                                    {"high_ms", 3.5},
                                                                    {"measured_percent", 90.0},
                                                                    {"load_factor", 1.5}}})});
  EXPECT_EQ(one.headline, "net.onnx will take 3.10 ms (2.80 ms to 3.50 ms)");
  EXPECT_EQ(one.lede,
            "90 % of its kernels' time was measured in other models. The load of the machine makes it 1.50 times "
            "as long.");
  const ReportResult all =
      said("evaluate", {made_table("summary", {{{"mape", 12.5}, {"noise_floor_percent", 2.0}}}),
                        made_table("models", {{{"inside", "yes"s}}, {{"inside", "no"s}}, {{"inside", Cell()}}})});
  EXPECT_EQ(all.headline, "Predictions are 12.5 % off on average; 1 of 2 measured times lie in their intervals");
  const ReportTable errors =
      made_table("errors", {{{"split", "model"s}, {"error_level", "model"s}, {"method", "takt"s}, {"mape", 1.6}},
                            {{"split", "model"s}, {"error_level", "model"s}, {"method", "forest"s}, {"mape", 3.3}},
                            {{"split", "family"s}, {"error_level", "model"s}, {"method", "takt"s}, {"mape", 2.8}}});
  EXPECT_EQ(said("fit", {errors}).headline,
            "Predictions of new models are off by 1.6 % (model held out), 2.8 % (family held out)");
}

TEST(PlanSentences, of_other_commands_or_without_figures_there_are_none) {
  ReportResult result;
  for (const char* command : {"plan search", "plan run", "sweep", "predict", "evaluate", "fit", "devices"})
    EXPECT_FALSE(add_plan_sentences(result, command)) << command;
}

}  // namespace
}  // namespace takt
