// What stands in which cell of the tables of `takt plan search`, `plan run`, `plan compile` and `plan simulate`, in the
// sentences beside them, and behind which key of a plan set.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "plan/answer/run_tables.h"
#include "plan/answer/tables.h"
#include "plan/run/piece_contention.h"
#include "plan/run/piece_costs.h"
#include "plan/sets/set_file.h"
#include "plan/sets/set_tables.h"
#include "table_cells.h"

namespace takt {
namespace {

using testing::HasSubstr;

Nanoseconds us(std::int64_t count) { return std::chrono::microseconds(count); }
Plan plan_in(const char* text) { return parse_plan(text, "test"); }

PlanEstimate estimate_of(std::int64_t latency_us, std::int64_t batches, std::int64_t makespan_us) {
  return {{}, us(latency_us), batches, us(makespan_us)};
}

/// Two plans found, the best on one unit, and given ones of which one is not possible.
PlanReport found_plans() {
  PlanReport report;
  report.objective = PlanObjective::latency, report.batches = 16, report.units = {"CPU", "GPU", "NPU"};
  RankedPlan best{plan_in("CPU+GPU[1-2 0.75/0.25] | NPU[3]"), estimate_of(40'000, 10, 400'000), us(51'000), false};
  best.estimate.times.blocks = {{{{us(300), us(200)}, us(10), us(20)}, us(30)}, {{{us(500)}, {}, {}}, us(40)}};
  report.search.plans = {best, {plan_in("GPU[1-3]"), estimate_of(48'000, 10, 800'000), us(48'000), true}};
  report.search.best_single = RankedPlan{plan_in("CPU[1-3]"), estimate_of(60'000, 12, 600'000), us(60'000), true};
  report.search.lower_bound = us(25'500), report.search.nodes = 1001, report.search.estimates = 102;
  report.search.end = SearchEnd::memory, report.search.kept = 53, report.search.bytes = 4096;
  report.given = {{"", plan_in("NPU[1-3]"), {}, "the NPU refuses stage 2"},
                  {"PEP1", plan_in("CPU[1] | GPU[2-3]"), estimate_of(120'000, 6, 480'000), ""}};
  return report;
}

TEST(Cells, of_plan_search_plans) {
  expect_cells(table_named(plan_tables(found_plans()), "plans"),
               {{"plan_rank", {"1", "2", "", "", ""}},
                {"role", {"found", "found", "single", "given", "PEP1"}},
                {"plan", {"CPU+GPU[1-2 0.75/0.25] | NPU[3]", "GPU[1-3]", "CPU[1-3]", "NPU[1-3]", "CPU[1] | GPU[2-3]"}},
                {"latency_ms", {"40", "48", "60", "", "120"}},
                {"makespan_ms", {"400", "800", "600", "", "480"}},
                {"throughput_per_s", {"25", "12.5", "20", "", "12.5"}},
                {"speed_up", {"1.5", "1.25", "1", "", "0.5"}},
                {"optimal", {"no", "yes", "", "", ""}},
                {"plan_reason", {"", "", "", "the NPU refuses stage 2", ""}}});
  PlanReport stream = found_plans();
  stream.objective = PlanObjective::throughput;
  expect_cells(
      some_columns(table_named(plan_tables(stream), "plans"), {"role", "speed_up"}),
      {{"role", {"found", "found", "single", "given", "PEP1"}}, {"speed_up", {"1.5", "0.75", "1", "", "1.25"}}});
}

TEST(Cells, of_plan_search_blocks) {
  expect_cells(table_named(plan_tables(found_plans()), "blocks"), {{"block", {"1", "1", "2"}},
                                                                   {"block_stages", {"1-2", "1-2", "3"}},
                                                                   {"block_unit", {"CPU", "GPU", "NPU"}},
                                                                   {"share", {"0.75", "0.25", "1"}},
                                                                   {"part_time_us", {"300", "200", "500"}},
                                                                   {"transfer_us", {"30", "30", "40"}},
                                                                   {"block_partition_us", {"10", "10", "0"}},
                                                                   {"merge_us", {"20", "20", "0"}},
                                                                   {"block_time_us", {"330", "330", "500"}}});
}

TEST(Cells, of_plan_search_search) {
  expect_cells(table_named(plan_tables(found_plans()), "search"), {{"objective", {"latency"}},
                                                                   {"stream_batches", {"16"}},
                                                                   {"units", {"CPU, GPU, NPU"}},
                                                                   {"looked_at", {"1001"}},
                                                                   {"simulated", {"102"}},
                                                                   {"lower_bound_ms", {"25.5"}},
                                                                   {"gap", {"0.5"}},
                                                                   {"search_end", {"memory"}},
                                                                   {"kept", {"53"}},
                                                                   {"kept_bytes", {"4096"}}});
}

PlanDifference difference(std::int64_t saved, std::int64_t low, std::int64_t high) {
  return {us(saved), PlanDifference::Interval{us(low), us(high)}, ""};
}

TEST(Cells, of_plan_search_differences) {
  PlanReport report = found_plans();
  report.best_difference = difference(8500, 7000, 9000);
  report.given.push_back(report.given[1]);
  report.given.back().name = "PEP2";
  report.given_differences = {PlanDifference{us(-1250), {}, "nobody knows"}, difference(-40'000, -50'000, -30'000),
                              difference(500, -1000, 2000)};
  expect_cells(table_named(plan_tables(report), "differences"),
               {{"plan_rank", {"1", "", "", ""}},
                {"role", {"found", "given", "PEP1", "PEP2"}},
                {"plan", {"CPU+GPU[1-2 0.75/0.25] | NPU[3]", "NPU[1-3]", "CPU[1] | GPU[2-3]", "CPU[1] | GPU[2-3]"}},
                {"saved_ms", {"8.5", "-1.25", "-40", "0.5"}},
                {"saved_low_ms", {"7", "", "-50", "-1"}},
                {"saved_high_ms", {"9", "", "-30", "2"}},
                {"plan_verdict", {"better", "unknown", "worse", "inconclusive"}},
                {"verdict_reason", {"", "nobody knows", "", ""}}});
}

TEST(Cells, of_plan_search_candidates) {
  expect_cells(candidates_table({plan_in("CPU[1] | GPU[2-3]"), plan_in("CPU[1-3]")}),
               {{"candidate", {"1", "2"}}, {"plan", {"CPU[1] | GPU[2-3]", "CPU[1-3]"}}, {"blocks", {"2", "1"}}});
}

TEST(Cells, of_plan_search_piece_costs) {
  expect_cells(piece_costs_table({{{1, 2}, "CPU", us(300), "", 0.125}, {{3, 3}, "GPU", {}, "it refuses them", {}}}),
               {{"piece_span", {"1-2", "3"}},
                {"piece_unit", {"CPU", "GPU"}},
                {"piece_time_us", {"300", ""}},
                {"piece_error_percent", {"12.5", ""}},
                {"piece_reason", {"", "it refuses them"}}});
}

TEST(Cells, of_plan_search_piece_pairs) {
  std::vector<PairRow> rows(2);
  rows[0].stage = "CPU[1]", rows[0].beside = "GPU[2]";
  rows[0].factor = 1.5, rows[0].low = 1.25, rows[0].high = 1.75, rows[0].significant = true;
  rows[1].stage = "GPU[2]", rows[1].beside = "CPU[1]";
  expect_cells(piece_pairs_table(rows), {{"slowed_piece", {"CPU[1]", "GPU[2]"}},
                                         {"piece_beside", {"GPU[2]", "CPU[1]"}},
                                         {"piece_slow_down", {"1.5", ""}},
                                         {"piece_slow_down_low", {"1.25", ""}},
                                         {"piece_slow_down_high", {"1.75", ""}},
                                         {"piece_slow_down_certain", {"yes", "no"}}});
}

TEST(Sentences, of_a_search_have_its_figures) {
  PlanReport report = found_plans();
  const auto text = [&] { return to_text(report, {.width = 300}); };
  EXPECT_THAT(text(), HasSubstr("Infeasible: NPU[1-3]: the NPU refuses stage 2."));
  EXPECT_THAT(text(), HasSubstr("could take up to 50.0 % less time. The search stopped at its memory limit, with 53 "
                                "partial plans (4.00 KiB)."));
  report.search.end = SearchEnd::partial_plans;
  EXPECT_THAT(text(), HasSubstr("stopped with 53 partial plans (4.00 KiB) kept and 1001 expanded."));
  report.search.end = SearchEnd::simulations;
  EXPECT_THAT(text(), HasSubstr("stopped at its limit of simulations, after 102 plans."));
  report.best_difference = difference(8500, -7000, 9000);
  EXPECT_THAT(text(), HasSubstr("it saves 8.50 ms, but that may be between -7.00 ms and 9.00 ms."));
}

PlanRunResult ran(const char* role, const char* blocks, std::int64_t estimated_us,
                  std::vector<std::array<std::int64_t, 2>> latencies_and_makespans) {
  PlanRunResult result;
  result.trial = {role, plan_in(blocks), estimate_of(estimated_us, 8, 10 * estimated_us)};
  result.trial.estimate.times.blocks.resize(result.trial.plan.blocks.size());
  for (const auto& [latency, makespan] : latencies_and_makespans)
    result.rounds.push_back({us(latency), us(makespan), std::vector<BlockRun>(result.trial.plan.blocks.size())});
  return result;
}

/// The named plan takes 1.2 ms, the best on one unit 2 ms and another 1 ms, each in two rounds.
PlanRunReport three_plans() {
  PlanRunReport report{PlanObjective::latency, 8, {}};
  report.plans = {ran("found", "CPU[1] | GPU[2]", 1000, {{1100, 5000}, {1300, 5200}}),
                  ran("single", "CPU[1-2]", 2500, {{1800, 9000}, {2200, 9200}}),
                  ran("PEP1", "GPU[1-2]", 1050, {{950, 4000}, {1050, 4200}})};
  report.plans[0].numbers = {{0.001, 0.02, "", ""}, {0.002, 0.03, "", ""}};
  report.plans[2].numbers = {{0.25, 0.5, "", "it draws lots"}};
  return report;
}

// Of two values the interval reaches 12.7062 (Student's quantile of one degree of freedom) times half their difference.
TEST(Cells, of_plan_run_plan_runs) {
  PlanRunReport report = three_plans();
  report.plans.push_back(ran("given", "NPU[1-2]", 700, {{600, 3000}}));
  report.plans[3].numbers = {{0.75, 0.125, "y is off by 0.75", "nobody asks"}};
  // Where the latency is to be short it is what is measured, else the makespan.
  expect_cells(without_columns(table_named(plan_run_tables(report), "plan_runs"), {"latency_really_us"}),
               {{"plan_number", {"1", "2", "3", "4"}},
                {"role", {"found", "single", "PEP1", "given"}},
                {"plan", {"CPU[1] | GPU[2]", "CPU[1-2]", "GPU[1-2]", "NPU[1-2]"}},
                {"estimated_us", {"1000", "2500", "1050", "700"}},
                {"really_us", {"1200", "2000", "1000", "600"}},
                {"really_low_us", {"-70.6204736174696", "-541.2409472349392", "364.6897631912652", ""}},
                {"really_high_us", {"2470.6204736174696", "4541.2409472349392", "1635.3102368087348", ""}},
                {"estimate_off_percent", {"-16.66666666666667", "25", "5", "16.66666666666667"}},
                {"makespan_really_us", {"5100", "9100", "4100", "3000"}},
                {"numbers", {"right", "", "cannot tell", "wrong"}},
                {"numbers_reason", {"", "", "it draws lots", "y is off by 0.75"}}});
  report.objective = PlanObjective::throughput;
  expect_cells(some_columns(table_named(plan_run_tables(report), "plan_runs"),
                            {"plan_number", "estimated_us", "really_us", "latency_really_us"}),
               {{"plan_number", {"1", "2", "3", "4"}},
                {"estimated_us", {"10000", "25000", "10500", "7000"}},
                {"really_us", {"5100", "9100", "4100", "3000"}},
                {"latency_really_us", {"1200", "2000", "1000", "600"}}});
}

TEST(Cells, of_plan_run_plan_run_blocks) {
  PlanRunReport report = three_plans();
  report.plans.resize(2);
  auto& found = report.plans[0];
  found.trial.estimate.times.blocks = {{{{us(300), us(200)}, us(10), us(20)}, us(30)}, {{{us(500)}, {}, {}}, us(40)}};
  found.rounds[0].blocks = {{us(310), us(400)}, {us(590), us(700)}};
  found.rounds[1].blocks = {{us(330), us(420)}, {us(610), us(720)}};
  auto& single = report.plans[1];
  single.trial.estimate.times.blocks = {{{{us(45)}, {}, {}}, us(5)}};
  for (auto& round : single.rounds) round.blocks = {{us(40), us(60)}};
  expect_cells(table_named(plan_run_tables(report), "plan_run_blocks"),
               {{"plan_number", {"1", "1", "2"}},
                {"plan_block", {"CPU[1]", "GPU[2]", "CPU[1-2]"}},
                {"estimated_us", {"360", "540", "50"}},
                {"really_us", {"320", "600", "40"}},
                {"estimate_off_percent", {"12.5", "-10", "25"}},
                {"in_stream_us", {"410", "710", "60"}},
                {"block_deviation", {"0.001", "0.002", ""}},
                {"block_allowed", {"0.02", "0.03", ""}}});
}

// Errors of 1/6, 1/4 and 1/20; ratios of 1.2, 0.8 and 1/1.05, so all took 4.76 % less, and then are off by 0.2063,
// 0.1905 and 0. The fastest and the second changed places.
TEST(Cells, of_plan_run_plan_choice) {
  expect_cells(table_named(plan_run_tables(three_plans()), "plan_choice"),
               {{"plans_run", {"3"}},
                {"plan_rounds", {"2"}},
                {"mean_error_percent", {"15.555555555555556"}},
                {"common_error_percent", {"-4.761904761904762"}},
                {"other_error_percent", {"13.227513227513228"}},
                {"regret_percent", {"20"}},
                {"regret_low_percent", {"-43.53102368087348"}},
                {"regret_high_percent", {"83.53102368087348"}},
                {"rank_correlation", {"0.5"}},
                {"over_single_percent", {"-40"}},
                {"over_single_low_percent", {"-103.53102368087348"}},
                {"over_single_high_percent", {"23.53102368087348"}}});
  PlanRunReport one = three_plans();
  one.plans.resize(1), one.plans[0].rounds.resize(1);
  const Table alone = table_named(plan_run_tables(one), "plan_choice");
  EXPECT_EQ(to_csv(alone).substr(to_csv(alone).find('\n')), "\n1,1,9.090909090909092,,,0,,,,,,\n");
}

TEST(Sentences, of_plans_that_ran_have_their_figures) {
  const PlanRunReport report = three_plans();
  EXPECT_THAT(
      to_text(report, {.width = 900}),
      testing::StartsWith("The outputs could not be checked: it draws lots. Fastest: GPU[1-2], 1.00 ms a batch. "
                          "The plan that the search ranked first took 20.0 % (95 %: -43.5 to 83.5) longer. "
                          "That plan is not significantly faster than the best single-device plan: difference "
                          "-40.0 % (95 %: -103.5 to 23.5).\n"));
  EXPECT_THAT(to_text(report, {.width = 900}),
              testing::EndsWith("Estimates are off by 15.6 % on average over 3 plans. Rank correlation 0.50.\n"));
  PlanRunReport slower = three_plans();
  slower.plans[0].trial.estimate.latency = us(600), slower.plans[1].trial.estimate.latency = us(1000);
  slower.plans[2].trial.estimate.latency = us(400);
  // Two take twice as long, the third 2.5 times: corrected by 2 only the third is off, by 20 %.
  EXPECT_THAT(
      to_text(slower, {.width = 900}),
      HasSubstr("off by 53.3 % on average over 3 plans. All of them took 100.0 % longer than estimated, as if the "
                "machine's speed had changed; the rest of the error is 6.7 %."));
}

GraphSize size(std::int64_t nodes, std::int64_t edges) { return {nodes, edges}; }

/// Three plans for sizes from small to large; all measured, some, none.
PlanSet three_plan_set() {
  PlanSet set;
  set.stages = 3, set.units = {"CPU", "GPU"}, set.objective = PlanObjective::throughput, set.batches = 16;
  set.steps = 500, set.divide = false, set.units_once = false, set.most_blocks = 7;
  set.plans = {plan_in("CPU[1-3]"), plan_in("CPU[1] | GPU[2-3]"), plan_in("GPU[1-3]")};
  set.points = {{size(10, 20), {us(5000), {}, us(9000)}, 0, us(4000), false},
                {size(110, 120), {us(8000), us(6000), us(9000)}, 1, us(5000), true},
                {size(210, 220), {us(8500), us(7000), us(9500)}, 1, us(7000), false},
                {size(310, 320), {us(9900), us(9800), us(9600)}, 2, us(6400), true}};
  set.thresholds = {{0, 1, size(50, 60), size(55, 66), size(45, 54)}, {1, 2, size(250, 260), {}, size(240, 250)}};
  set.switch_cost = us(1250), set.tolerance = 0.0625;
  set.files = {{"costs.json", "0123456789abcdef"}, {"more.json", "fedcba9876543210"}};
  return set;
}

TEST(Cells, of_plan_compile_stretches) {
  expect_cells(table_named(plan_set_tables(three_plan_set()), "stretches"),
               {{"first_size", {"10,20", "50,60", "250,260"}},
                {"end_size", {"50,60", "250,260", "310,320"}},
                {"plan", {"CPU[1-3]", "CPU[1] | GPU[2-3]", "GPU[1-3]"}},
                {"change_up", {"55,66", "", ""}},
                {"change_down", {"", "45,54", "240,250"}},
                {"extrapolated", {"no", "in part", "yes"}}});
}

TEST(Cells, of_plan_compile_sizes) {
  expect_cells(table_named(plan_set_tables(three_plan_set()), "sizes"),
               {{"size_nodes", {"10", "110", "210", "310"}},
                {"size_edges", {"20", "120", "220", "320"}},
                {"plan", {"CPU[1-3]", "CPU[1] | GPU[2-3]", "CPU[1] | GPU[2-3]", "GPU[1-3]"}},
                {"batch_cost_ms", {"5", "6", "7", "9.6"}},
                {"behind_best", {"0.25", "0.2", "0", "0.5"}},
                {"extrapolated", {"no", "yes", "no", "yes"}}});
}

TEST(Cells, of_plan_compile_set) {
  expect_cells(table_named(plan_set_tables(three_plan_set()), "set"),
               {{"objective", {"throughput"}},
                {"stream_batches", {"16"}},
                {"units", {"CPU, GPU"}},
                {"set_plans", {"3"}},
                {"set_sizes", {"4"}},
                {"switch_cost_ms", {"1.25"}},
                {"cost_files", {"costs.json (0123456789abcdef), more.json (fedcba9876543210)"}}});
}

TEST(Keys, of_a_plan_set_have_their_values) {
  auto file = nlohmann::json::parse(to_json(three_plan_set(), {}));
  file.erase("takt");
  EXPECT_EQ(file, nlohmann::json::parse(R"({
    "takt_plan_set": 1, "objective": "throughput", "batches": 16, "share_steps": 500, "divided": false,
    "units_once": false, "most_blocks": 7, "stages": 3, "units": ["CPU", "GPU"], "switch_cost_ns": 1250000,
    "tolerance": 0.0625,
    "costs": [{"file": "costs.json", "fingerprint": "0123456789abcdef"},
              {"file": "more.json", "fingerprint": "fedcba9876543210"}],
    "plans": [[[["CPU"], [1, 2, 3]]], [[["CPU"], [1]], [["GPU"], [2, 3]]], [[["GPU"], [1, 2, 3]]]],
    "sizes": [
      {"nodes": 10, "edges": 20, "costs_ns": [5000000, null, 9000000], "best": 0, "best_known_ns": 4000000,
       "extrapolated": false},
      {"nodes": 110, "edges": 120, "costs_ns": [8000000, 6000000, 9000000], "best": 1, "best_known_ns": 5000000,
       "extrapolated": true},
      {"nodes": 210, "edges": 220, "costs_ns": [8500000, 7000000, 9500000], "best": 1, "best_known_ns": 7000000,
       "extrapolated": false},
      {"nodes": 310, "edges": 320, "costs_ns": [9900000, 9800000, 9600000], "best": 2, "best_known_ns": 6400000,
       "extrapolated": true}],
    "thresholds": [
      {"below": 0, "above": 1, "at": {"nodes": 50, "edges": 60}, "up": {"nodes": 55, "edges": 66},
       "down": {"nodes": 45, "edges": 54}},
      {"below": 1, "above": 2, "at": {"nodes": 250, "edges": 260}, "up": null, "down": {"nodes": 240, "edges": 250}}]
  })"));
}

TEST(Keys, of_a_plan_have_their_values) {
  EXPECT_EQ(to_json(plan_in("CPU+GPU[1-2 0.75/0.25] | NPU[3]")),
            R"([[["CPU","GPU"],[1,2],[0.75,0.25]],[["NPU"],[3]]])");
}

StreamReport four_ways() {
  StreamReport report{20, 7, 3, us(1000), {}, {plan_in("NPU[1-3]")}};
  report.runs = {{"set", {}, us(10'000), 2, us(2000), us(11'500)},
                 {"known", {}, us(9000), 1, us(1500), us(10'250)},
                 {"oracle", {}, us(8000), 0, us(0), {}},
                 {"fixed", plan_in("CPU[1-3]"), us(16'000), 0, us(0), us(15'000)}};
  return report;
}

TEST(Cells, of_plan_simulate_choices) {
  expect_cells(table_named(plan_stream_tables(four_ways()), "choices"),
               {{"choice", {"set", "known", "oracle", "fixed"}},
                {"plan", {"", "", "", "CPU[1-3]"}},
                {"batches_ms", {"10", "9", "8", "16"}},
                {"plan_changes", {"2", "1", "0", "0"}},
                {"changes_ms", {"2", "1.5", "0", "0"}},
                {"stream_ms", {"12", "10.5", "8", "16"}},
                {"regret", {"0.5", "0.3125", "0", "1"}},
                {"clock_ms", {"11.5", "10.25", "", "15"}}});
}

TEST(Cells, of_plan_simulate_stream) {
  expect_cells(table_named(plan_stream_tables(four_ways()), "stream"), {{"stream_batches", {"20"}},
                                                                        {"stream_sizes", {"7"}},
                                                                        {"extrapolated_batches", {"3"}},
                                                                        {"switch_cost_ms", {"1"}},
                                                                        {"gain_on_fixed_ms", {"4"}}});
  StreamReport none = four_ways();
  none.runs.pop_back();
  expect_cells(table_named(plan_stream_tables(none), "stream"), {{"stream_batches", {"20"}},
                                                                 {"stream_sizes", {"7"}},
                                                                 {"extrapolated_batches", {"3"}},
                                                                 {"switch_cost_ms", {"1"}},
                                                                 {"gain_on_fixed_ms", {""}}});
}

TEST(Sentences, of_a_stream_have_its_figures) {
  StreamReport report = four_ways();
  EXPECT_THAT(to_text(report, {.width = 300}), HasSubstr("NPU[1-3] cannot run all batches."));
  EXPECT_THAT(
      to_text(report, {.width = 300}),
      HasSubstr(
          "The set takes 50.00 % longer than an oracle and saves 4.00 ms compared with the best of its plans alone."));
  report.runs[3].batches = us(11'750);
  EXPECT_THAT(to_text(report, {.width = 300}),
              HasSubstr("longer than an oracle and takes 250 µs more than the best of its plans alone."));
}

}  // namespace
}  // namespace takt
