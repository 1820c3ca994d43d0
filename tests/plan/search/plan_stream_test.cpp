#include "plan/sets/stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "places.h"
#include "plan/search/plan_words.h"
#include "plan/sets/set_tables.h"
#include "refused.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// One stage: the CPU takes 1 ns per node, the GPU 1000 ns and 0.5 ns per node. They cross at 2000 nodes.
std::shared_ptr<const PlanCosts> crossing_stage(const GraphSize& size) {
  return std::make_shared<PlanCostTable>(costs_of({{size.nodes}, {1000 + size.nodes / 2}}, {"CPU", "GPU"}));
}

PlanSet crossing_set() {
  return compile_plan_set(crossing_stage, {{1000, 0}, {4000, 0}},
                          {.search = {.divide = false}, .switch_cost = Nanoseconds(100)});
}

BatchStream ten_small_and_ten_large() {
  BatchStream stream(10, {1000, 0});
  stream.insert(stream.end(), 10, {4000, 0});
  return stream;
}

TEST(PlanStream, wins_by_what_one_can_work_out_where_plans_cross_over) {
  // The CPU takes 10 · 1000 + 10 · 4000, the GPU 10 · 1500 + 10 · 3000; the set 10 · 1000 + 100 + 10 · 3000.
  const StreamReport report = simulate_stream(crossing_set(), crossing_stage, ten_small_and_ten_large());
  EXPECT_EQ(report.run("set").total().count(), 40'100);
  EXPECT_EQ(report.run("set").batches.count(), 40'000);
  EXPECT_EQ(report.run("set").switching.count(), 100);
  EXPECT_EQ(report.run("set").switches, 1);
  EXPECT_EQ(report.run("set").clock->count(), 40'100);
  EXPECT_EQ(report.run("known").total().count(), 40'100);
  EXPECT_EQ(report.run("oracle").total().count(), 40'000);
  ASSERT_NE(report.best_fixed(), nullptr);
  EXPECT_EQ(to_string(*report.best_fixed()->plan), "GPU[1]");
  EXPECT_EQ(report.best_fixed()->total().count(), 45'000);
  EXPECT_EQ(report.runs.back().total().count(), 50'000);
  EXPECT_NEAR(report.regret(report.run("set")), 0.0025, 1e-12);
  EXPECT_EQ(report.sizes, 2);
  EXPECT_EQ(report.extrapolated, 0);
  EXPECT_THAT(to_text(report, {}),
              testing::StartsWith("The set takes 0.25 % longer than an oracle and saves 4.90 µs compared with the\n"
                                  "best of its plans alone.\n"));
}

TEST(PlanStream, moves_batches_of_all_sizes_through_the_stages_of_a_plan) {
  // Two stages on two units, n and 2 n ns: batches of 10 and 30 take 10 + 20, and 30 + 60 behind it: the second starts
  // at 10, its second stage at 40, and it is there at 100.
  const CostsAt costs_at = [](const GraphSize& size) {
    return std::make_shared<PlanCostTable>(costs_of({{size.nodes, -1}, {-1, 2 * size.nodes}}, {"CPU", "GPU"}));
  };
  const Plan plan = parse_plan("CPU[1] | GPU[2]", "");
  EXPECT_EQ(stream_makespan(plan, costs_at, {{10, 0}, {30, 0}})->count(), 100);
  EXPECT_EQ(stream_makespan(plan, costs_at, {{10, 0}})->count(), 30);
  EXPECT_FALSE(stream_makespan(parse_plan("GPU[1] | CPU[2]", ""), costs_at, {{10, 0}}));
  for (const std::int64_t batches : {1, 2, 7})
    EXPECT_EQ(*stream_makespan(plan, costs_at, BatchStream(static_cast<std::size_t>(batches), {10, 0})),
              estimate(plan, *costs_at({10, 0}), batches).makespan);
}

TEST(PlanStream, runs_the_pipeline_empty_before_a_change) {
  // CPU[1] | GPU[2] takes 100 + 50 for a small batch and 100 for each more; for large ones GPU[1] | CPU[2] does.
  const CostsAt costs_at = [](const GraphSize& size) {
    const bool small = size.nodes == 1;
    return std::make_shared<PlanCostTable>(
        costs_of({{small ? 100 : 900, small ? 900 : 50}, {small ? 900 : 100, small ? 50 : 900}}, {"CPU", "GPU"}));
  };
  const PlanSet set =
      compile_plan_set(costs_at, {{1, 0}, {2, 0}},
                       {.search = {.objective = PlanObjective::throughput, .batches = 10, .divide = false},
                        .switch_cost = Nanoseconds(7)});
  ASSERT_EQ(set.plans.size(), 2u);
  const StreamReport report = simulate_stream(set, costs_at, {{1, 0}, {1, 0}, {1, 0}, {2, 0}, {2, 0}});
  EXPECT_EQ(report.run("set").clock->count(), 350 + 7 + 250);
  EXPECT_EQ(report.run("set").batches.count(), 5 * 105);  // 150 + 9 · 100 for ten
}

TEST(PlanStream, has_no_fixed_plan_where_none_can_run_all_sizes) {
  const CostsAt costs_at = [](const GraphSize& size) {
    return std::make_shared<PlanCostTable>(
        costs_of({{size.nodes < 10 ? 5 : -1}, {size.nodes < 10 ? -1 : 7}}, {"CPU", "GPU"}));
  };
  const PlanSet set = compile_plan_set(costs_at, {{1, 0}, {20, 0}}, {.switch_cost = Nanoseconds(3)});
  const StreamReport report = simulate_stream(set, costs_at, {{1, 0}, {20, 0}, {1, 0}});
  EXPECT_EQ(report.run("set").total().count(), 5 + 3 + 7 + 3 + 5);
  EXPECT_EQ(report.best_fixed(), nullptr);
  EXPECT_EQ(report.impossible.size(), 2u);
  EXPECT_THAT(to_text(report, {}), HasSubstr("no single plan can run all batches"));
}

TEST(PlanStream, of_other_costs_is_refused) {
  const auto other_stages = [](const GraphSize&) {
    return std::make_shared<PlanCostTable>(costs_of({{1, 2}, {1, 2}}, {"CPU", "GPU"}));
  };
  const auto other_units = [](const GraphSize&) { return std::make_shared<PlanCostTable>(costs_of({{1}}, {"CPU"})); };
  EXPECT_EQ(refused_with([&] {
              simulate_stream(crossing_set(), other_stages, {{1000, 0}});
            }),
            "plan set: has 1 stages, but the costs have 2; use the costs that it was compiled from");
  EXPECT_EQ(refused_with([&] {
              simulate_stream(crossing_set(), other_units, {{1000, 0}});
            }),
            "plan set: has plans for GPU, for which there are no costs; use the costs that it was compiled from");
  EXPECT_EQ(refused_with([&] { simulate_stream(crossing_set(), crossing_stage, {}); }),
            "plan set: the stream has no batches");
  const auto unknown = [](const GraphSize& size) { return size.nodes == 7 ? nullptr : crossing_stage(size); };
  try {
    simulate_stream(crossing_set(), unknown, {{1000, 0}, {7, 2}});
    ADD_FAILURE() << "not refused";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "plan set: the costs of 7 nodes and 2 edges are unknown");
  }
}

TEST(BatchStreamFile, has_a_batch_per_line) {
  const BatchStream stream = parse_batch_stream("nodes,edges\r\n# small\n10,20\n\n 30 , 40 \n", "stream.csv");
  ASSERT_EQ(stream.size(), 2u);
  EXPECT_EQ(stream[1].edges, 40);
  const auto refusal = [](const char* text) -> std::string {
    try {
      parse_batch_stream(text, "stream.csv");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(""), HasSubstr("stream.csv: has no batch"));
  EXPECT_THAT(refusal("nodes,edges\n"), HasSubstr("has no batch"));
  EXPECT_THAT(refusal("1,2\nnodes,edges\n"), HasSubstr("line 2: 'nodes,edges' is not a batch"));
  for (const char* wrong : {"1", "1,2,3", "0,5", "1,-1", "1,nan", "1.5,2", "3000000000,1"})
    EXPECT_THAT(refusal(wrong), HasSubstr("line 1: '" + std::string(wrong) + "' is not a batch; write nodes,edges"));
  std::string many;
  for (int i = 0; i < 1'000'000; ++i) many += "1,2\n";
  EXPECT_EQ(refusal(many.c_str()), "");
  EXPECT_EQ(refusal((many + "1,2\n").c_str()), "stream.csv: has more than a million batches");
}

TEST(BatchStreams, that_are_drawn_stay_within_the_set_and_are_the_same_again) {
  const PlanSet set = crossing_set();
  const BatchStream stream = random_batch_stream(set, {.batches = 2000, .stay = 10, .seed = 4});
  std::int64_t changes = 0;
  for (std::size_t b = 0; b < stream.size(); ++b) {
    EXPECT_TRUE(1000 <= stream[b].nodes && stream[b].nodes <= 4000);
    changes += b > 0 && stream[b].nodes != stream[b - 1].nodes ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(changes), 200, 45);  // three deviations
  const BatchStream again = random_batch_stream(set, {.batches = 2000, .stay = 10, .seed = 4});
  EXPECT_TRUE(std::equal(stream.begin(), stream.end(), again.begin(),
                         [](const GraphSize& a, const GraphSize& b) { return a.nodes == b.nodes; }));
}

/// Three units whose stages take random times, fixed and by rows, so that plans often cross.
CostsAt random_laws(std::uint64_t seed, int stages) {
  Random random(seed);
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> laws(3);
  for (auto& unit : laws)
    for (int stage = 0; stage < stages; ++stage)
      unit.emplace_back(static_cast<std::int64_t>(random() % 2'000'000), 1 + static_cast<std::int64_t>(random() % 400));
  return [laws](const GraphSize& size) {
    std::vector<std::vector<std::int64_t>> times;
    for (const auto& unit : laws) {
      auto& list = times.emplace_back();
      for (const auto& law : unit) list.push_back(law.first + law.second * rows_of(size));
    }
    return std::make_shared<PlanCostTable>(costs_of(times, {"CPU", "GPU", "NPU"}));
  };
}

/// Of 500 sizes that were never compiled, each for `stay` batches or so, with a change that costs `dear` of a batch.
StreamReport random_run(std::uint64_t seed, PlanObjective objective, std::int64_t stay, double dear) {
  const CostsAt costs_at = random_laws(seed, 3);
  PlanSetSettings settings{.search = {.objective = objective, .divide = false}, .tolerance = 0.002};
  PlanSet set = compile_plan_set(costs_at, sizes_between({500, 500}, {10'000, 10'000}, 24), settings);
  std::int64_t sum = 0;
  for (const auto& point : set.points) sum += point.best_known.count();
  const double batch = static_cast<double>(sum) / static_cast<double>(set.points.size());
  set.switch_cost = Nanoseconds(std::llround(dear * batch));
  return simulate_stream(set, costs_at, random_batch_stream(set, {.batches = 500, .stay = stay, .seed = seed}));
}

/// By how many switch costs the set is behind the best of its plans.
double behind_fixed(const StreamReport& report) {
  const double behind = static_cast<double>((report.run("set").total() - report.best_fixed()->total()).count());
  return report.switch_cost.count() > 0 ? behind / static_cast<double>(report.switch_cost.count()) : behind;
}

TEST(PlanStream, is_within_two_percent_of_the_oracle_and_not_behind_the_best_plan_by_more_than_a_change) {
  int streams = 0, behind = 0;
  double worst_regret = 0, worst_behind = 0;
  for (const PlanObjective objective : {PlanObjective::latency, PlanObjective::throughput})
    for (const std::int64_t stay : {1, 5, 30})
      for (std::uint64_t seed = 0; seed < random_cases(50); ++seed) {
        const StreamReport report = random_run(seed, objective, stay, 0.01);
        worst_regret = std::max(worst_regret, report.regret(report.run("set")));
        worst_behind = std::max(worst_behind, behind_fixed(report));
        behind += behind_fixed(report) > 1 ? 1 : 0;
        ++streams;
        ASSERT_LE(report.run("oracle").total(), report.run("known").total());
        ASSERT_LE(report.run("known").total(), report.run("set").total());
        ASSERT_LE(report.run("known").total(), report.best_fixed()->total());
      }
  RecordProperty("worst_regret", std::to_string(worst_regret));
  RecordProperty("worst_behind_in_changes", std::to_string(worst_behind));
  RecordProperty("behind_by_more_than_a_change", std::to_string(behind));
  EXPECT_LE(worst_regret, 0.02);
  EXPECT_EQ(behind, 0) << "of " << streams << ", by up to " << worst_behind;
}

TEST(PlanStream, is_never_behind_the_best_plan_by_more_than_its_changes_explain) {
  for (const double dear : {0.001, 0.03, 0.3, 2.0})
    for (const std::int64_t stay : {1, 4, 40})
      for (std::uint64_t seed = 100; seed < 100 + random_cases(30); ++seed) {
        const StreamReport report = random_run(seed, PlanObjective::latency, stay, dear);
        // What the set expects of sizes between those it knows is exact here but for rounding.
        ASSERT_LE(behind_fixed(report), 2 * static_cast<double>(report.run("set").switches) + 1.01) << seed;
      }
}

}  // namespace
}  // namespace takt
