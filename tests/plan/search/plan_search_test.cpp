#include "plan/search/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/basics/error.h"
#include "places.h"
#include "plan/search/plan_words.h"
#include "plan/search/random_plan.h"
#include "refused.h"

namespace takt {
namespace {

using testing::HasSubstr;

std::string search_refusal(const PlanCosts& costs, const PlanSearchSettings& settings = {}) {
  try {
    search_plans(costs, settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// The objective of the best plan for each way to cut and place, the best first: every plan is estimated.
std::vector<std::int64_t> estimated_values(const PlanCosts& costs, const PlanSearchSettings& settings) {
  std::map<std::uint64_t, std::int64_t> best;
  every_plan(costs, settings.steps, settings.units_once, [&](const Plan& plan, std::uint64_t structure) {
    if (std::holds_alternative<std::string>(times_or_reason(placed(plan, costs), costs))) return;
    const PlanEstimate estimated = estimate(plan, costs, settings.batches);
    const auto value = settings.objective == PlanObjective::latency ? estimated.latency : estimated.makespan;
    const auto [found, is_new] = best.emplace(structure, value.count());
    if (!is_new) found->second = std::min(found->second, value.count());
  });
  std::vector<std::int64_t> values;
  for (const auto& [structure, value] : best) values.push_back(value);
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::int64_t> values_of(const PlanSearch& search) {
  std::vector<std::int64_t> values;
  for (const RankedPlan& plan : search.plans) values.push_back(plan.value.count());
  return values;
}

/// Each unit in one block, without slow-downs: the sum and the slowest are all that counts, so that a thousand tables
/// with a thousand plans each take seconds.
class EveryPlan {
 public:
  EveryPlan(const PlanCosts& costs, int steps, std::int64_t batches)
      : costs_(costs), steps_(steps), batches_(batches) {}

  std::vector<std::int64_t> values() {
    go(1, 0, PlanCosts::host, 0, 0, 1);
    std::vector<std::int64_t> list;
    for (const auto& [structure, value] : best_) list.push_back(value);
    std::sort(list.begin(), list.end());
    return list;
  }

 private:
  void go(int first, unsigned used, int end, std::int64_t sum, std::int64_t slowest, std::uint64_t structure) {
    if (first > costs_.stages()) {
      const std::int64_t last = costs_.transfer(costs_.stages(), end, PlanCosts::host)->count();
      const std::int64_t value = sum + last + (batches_ - 1) * std::max(slowest, last);
      const auto [found, is_new] = best_.emplace(structure, value);
      if (!is_new) found->second = std::min(found->second, value);
      return;
    }
    for (int last = first; last <= costs_.stages(); ++last)
      for (unsigned team = 1; team < 1u << costs_.units().size(); ++team) {
        if ((team & used) != 0) continue;
        std::vector<int> units;
        for (int u = 0; u < static_cast<int>(costs_.units().size()); ++u)
          if ((team >> u) % 2 == 1) units.push_back(u);
        const int start = units.size() == 1 ? units[0] : PlanCosts::host;
        const std::int64_t moved = costs_.transfer(first - 1, end, start)->count();
        const auto divide = costs_.divide({first, last}, units).value();
        const std::int64_t fixed = units.size() == 1 ? 0 : (divide.partition + divide.merge).count();
        parts({first, last}, units, 0, steps_, 0, [&](std::int64_t longest) {
          const std::int64_t time = fixed + longest;
          go(last + 1, used | team, start, sum + moved + time, std::max({slowest, moved, time}),
             (structure * 8 + static_cast<unsigned>(last)) * 8 + team);
        });
      }
  }

  template <typename Visit>
  void parts(StageSpan span, const std::vector<int>& units, std::size_t part, int left, std::int64_t longest,
             const Visit& visit) {
    const int later = static_cast<int>(units.size() - part) - 1;
    for (int step = later == 0 ? left : 1; step <= left - later; ++step) {
      const auto time = costs_.time(span, units[part], static_cast<double>(step) / steps_);
      if (!time) return;
      const std::int64_t now = std::max(longest, time->count());
      if (later == 0) {
        visit(now);
      } else {
        parts(span, units, part + 1, left - step, now, visit);
      }
    }
  }

  const PlanCosts& costs_;
  int steps_;
  std::int64_t batches_;
  std::map<std::uint64_t, std::int64_t> best_;
};

void expect_estimates_as_found(const PlanSearch& search, PlanObjective objective) {
  for (const RankedPlan& plan : search.plans)
    EXPECT_EQ(plan.value, objective == PlanObjective::latency ? plan.estimate.latency : plan.estimate.makespan);
}

void expect_best_of_every_plan(const PlanObjective objective) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto costs = random_costs(seed);
    PlanSearchSettings settings{.objective = objective, .batches = 20, .steps = 20};
    auto every = EveryPlan(costs, 20, objective == PlanObjective::latency ? 1 : 20).values();
    every.resize(std::min<std::size_t>(every.size(), 5));
    const PlanSearch restricted = search_plans(costs, settings);
    ASSERT_EQ(values_of(restricted), every) << "seed " << seed;
    ASSERT_TRUE(restricted.optimal());
    ASSERT_EQ(restricted.lower_bound, restricted.plans.front().value);
    expect_estimates_as_found(restricted, objective);

    settings.steps = 1000;
    const PlanSearch free = search_plans(costs, settings);
    ASSERT_TRUE(free.optimal());
    for (std::size_t rank = 0; rank < every.size(); ++rank)
      ASSERT_LE(free.plans[rank].value.count(), every[rank]) << "seed " << seed << ", rank " << rank;
    if (free.best_single) {
      ASSERT_LE(free.plans.front().value, free.best_single->value);
    }
  }
}

TEST(PlanSearch, finds_the_lowest_latencies_of_every_plan_on_a_thousand_random_tables) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  expect_best_of_every_plan(PlanObjective::latency);
}

TEST(PlanSearch, finds_the_highest_throughputs_of_every_plan_on_a_thousand_random_tables) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  expect_best_of_every_plan(PlanObjective::throughput);
}

TEST(PlanSearch, finds_the_best_where_blocks_slow_each_other_down) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const auto objective : {PlanObjective::latency, PlanObjective::throughput}) {
      const auto costs = random_costs(seed, {.stages = 5, .slow_downs = true});
      PlanSearchSettings settings{.objective = objective, .batches = 6, .steps = 10, .top = 3};
      auto every = estimated_values(costs, settings);
      every.resize(std::min<std::size_t>(every.size(), 3));
      const PlanSearch restricted = search_plans(costs, settings);
      EXPECT_EQ(values_of(restricted), every) << "seed " << seed;
      EXPECT_TRUE(restricted.optimal());
      expect_estimates_as_found(restricted, objective);
      settings.steps = 1000;
      const PlanSearch free = search_plans(costs, settings);
      EXPECT_LE(free.plans.front().value.count(), every.front()) << "seed " << seed;
      EXPECT_LE(free.lower_bound, free.plans.front().value);
    }
}

TEST(PlanSearch, finds_the_best_where_blocks_want_the_same_resource) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto costs = with_random_wants(random_costs(seed, {.stages = 5}), seed);
    const PlanSearchSettings settings{.objective = PlanObjective::throughput, .batches = 6, .steps = 10, .top = 3};
    auto every = estimated_values(*costs, settings);
    every.resize(std::min<std::size_t>(every.size(), 3));
    const PlanSearch search = search_plans(*costs, settings);
    EXPECT_EQ(values_of(search), every) << "seed " << seed;
    EXPECT_LE(search.lower_bound, search.plans.front().value);
  }
}

TEST(PlanSearch, finds_the_same_shares_with_and_without_leaving_out_those_that_cannot_be_better) {
  int proven = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto costs = random_costs(2 * seed + 1, {.stages = 3, .units = 2, .slow_downs = true});
    PlanSearchSettings settings{.objective = PlanObjective::throughput, .batches = 6, .steps = 240, .top = 2};
    settings.most_share_trials = 239;
    const PlanSearch all = search_plans(costs, settings);
    EXPECT_TRUE(all.optimal());
    settings.most_share_trials = 238;
    const PlanSearch some = search_plans(costs, settings);
    if (!some.optimal()) continue;
    EXPECT_EQ(all.plans[0].value, some.plans[0].value) << "seed " << seed;
    ++proven;
  }
  EXPECT_GT(proven, 5);
}

TEST(PlanSearch, finds_the_best_where_units_serve_several_blocks) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const auto objective : {PlanObjective::latency, PlanObjective::throughput}) {
      const auto costs = random_costs(seed, {.stages = 4, .units = 2, .slow_downs = seed % 4 == 3});
      const PlanSearchSettings settings{
          .objective = objective, .batches = 5, .steps = 4, .units_once = false, .top = 3};
      auto every = estimated_values(costs, settings);
      every.resize(std::min<std::size_t>(every.size(), 3));
      const PlanSearch search = search_plans(costs, settings);
      EXPECT_EQ(values_of(search), every) << "seed " << seed;
      EXPECT_TRUE(search.optimal());
      expect_estimates_as_found(search, objective);
    }
}

TEST(PlanSearch, keeps_to_the_memory_that_units_have) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (const bool once : {true, false}) {
      auto costs = random_costs(seed, {.stages = 4, .units = 2});
      costs.set_memory(0, {400, 300, 300, 500}, 600);
      const PlanSearchSettings settings{.objective = seed % 2 == 0 ? PlanObjective::latency : PlanObjective::throughput,
                                        .batches = 5,
                                        .steps = 4,
                                        .units_once = once,
                                        .top = 3};
      auto every = estimated_values(costs, settings);
      every.resize(std::min<std::size_t>(every.size(), 3));
      const PlanSearch search = search_plans(costs, settings);
      EXPECT_EQ(values_of(search), every) << "seed " << seed;
      EXPECT_TRUE(search.optimal());
    }
}

TEST(PlanSearch, divides_so_that_parts_end_together) {
  const auto costs = costs_of({{300'000}, {700'000}}, {"CPU", "GPU"});
  const PlanSearch search = search_plans(costs);
  EXPECT_EQ(to_string(search.plans[0].plan), "CPU+GPU[1 0.70/0.30]");
  EXPECT_EQ(search.plans[0].value.count(), 210'000);
  EXPECT_EQ(to_string(search.plans[1].plan), "CPU[1]");
  ASSERT_TRUE(search.best_single);
  EXPECT_EQ(search.best_single->value.count(), 300'000);
}

TEST(PlanSearch, divides_among_three_so_that_parts_end_together) {
  const auto costs = costs_of({{200'000}, {300'000}, {600'000}}, {"A", "B", "C"});
  const RankedPlan best = search_plans(costs).plans[0];
  ASSERT_EQ(best.plan.blocks[0].parts.size(), 3u);
  EXPECT_NEAR(best.plan.blocks[0].parts[0].share, 0.5, 0.003);
  // In 100,000 ns they do 500, 333 and 166 thousandths: one is missing, and each needs 100,200 ns for one more.
  EXPECT_EQ(best.value.count(), 100'200);
}

TEST(PlanSearch, divides_as_long_as_parts_do_not_slow_each_other_down_too_much) {
  auto costs = costs_of({{1'000'000}, {1'000'000}}, {"CPU", "GPU"});
  costs.set_slow_down(0, 1, 1.5);
  const PlanSearch gains = search_plans(costs);
  EXPECT_EQ(to_string(gains.plans[0].plan), "CPU+GPU[1 0.50/0.50]");
  EXPECT_NEAR(static_cast<double>(gains.plans[0].value.count()), 750'000, 2);
  EXPECT_TRUE(gains.optimal());
  costs.set_slow_down(0, 1, 2.5);
  const PlanSearch loses = search_plans(costs);
  EXPECT_EQ(to_string(loses.plans[0].plan), "CPU[1]");
  EXPECT_TRUE(loses.optimal());
}

TEST(PlanSearch, leaves_out_plans_that_are_better_with_fewer_units) {
  auto costs = costs_of({{300, 20}, {700, 20}}, {"CPU", "GPU"});
  costs.set_divide({Nanoseconds(80), Nanoseconds(70)});
  PlanSearch search = search_plans(costs, {.top = 50});
  const auto has = [&](const std::string& start) {
    return std::any_of(search.plans.begin(), search.plans.end(),
                       [&](const RankedPlan& plan) { return to_string(plan.plan).starts_with(start); });
  };
  EXPECT_EQ(to_string(search.plans[0].plan), "CPU[1-2]");
  EXPECT_TRUE(has("CPU+GPU[1-2"));  // shorter than on the GPU alone, not than on the CPU
  keep_plans_with_a_point(search, 50);
  EXPECT_EQ(to_string(search.plans[0].plan), "CPU[1-2]");
  EXPECT_FALSE(has("CPU+GPU[1-2"));
  EXPECT_TRUE(has("CPU[1] | GPU[2]"));
  keep_plans_with_a_point(search, 1);
  EXPECT_EQ(search.plans.size(), 1u);
}

TEST(PlanSearch, divides_nothing_where_that_costs_more_than_it_saves) {
  auto costs = costs_of({{300}, {700}}, {"CPU", "GPU"});
  costs.set_divide({Nanoseconds(80), Nanoseconds(20)});
  EXPECT_EQ(to_string(search_plans(costs).plans[0].plan), "CPU[1]");
}

TEST(PlanSearch, prefers_another_plan_for_a_stream_than_for_one_batch) {
  // Moving a batch costs more than the GPU saves; while the other one computes, that does not matter.
  auto costs = costs_of({{50, 50}, {65, 60}}, {"CPU", "GPU"});
  for (int cut = 0; cut <= 2; ++cut)
    for (const int other : {0, PlanCosts::host}) {
      costs.set_transfer(cut, other, 1, Nanoseconds(30));
      costs.set_transfer(cut, 1, other, Nanoseconds(30));
    }
  PlanSearchSettings settings{.divide = false};
  EXPECT_EQ(to_string(search_plans(costs, settings).plans[0].plan), "CPU[1-2]");
  settings.objective = PlanObjective::throughput;
  const PlanSearch stream = search_plans(costs, settings);
  EXPECT_EQ(to_string(stream.plans[0].plan), "CPU[1] | GPU[2]");
  EXPECT_EQ(stream.plans[0].value.count(), 50 + 30 + 60 + 30 + 15 * 60);
}

TEST(PlanSearch, keeps_to_a_number_of_blocks) {
  const auto costs = costs_of({{1, 90, 90}, {90, 1, 90}, {90, 90, 1}}, {"A", "B", "C"});
  PlanSearchSettings settings{.objective = PlanObjective::throughput, .divide = false};
  EXPECT_EQ(to_string(search_plans(costs, settings).plans[0].plan), "A[1] | B[2] | C[3]");
  settings.most_blocks = 2;
  for (const RankedPlan& plan : search_plans(costs, settings).plans) EXPECT_LE(plan.plan.blocks.size(), 2u);
  settings.most_blocks = 1;
  EXPECT_EQ(search_plans(costs, settings).plans.size(), 3u);
}

TEST(PlanSearch, says_how_far_from_the_best_it_may_be_when_it_ends_early) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto costs = random_costs(2 * seed + 1, {.stages = 9, .units = 4, .slow_downs = seed % 2 == 1});
    PlanSearchSettings settings{
        .objective = PlanObjective::throughput, .batches = 8, .steps = 20, .top = 1, .most_share_trials = 400};
    settings.most_nodes = 20;
    settings.most_estimates = 10;
    const PlanSearch early = search_plans(costs, settings);
    settings.most_nodes = 200'000;
    settings.most_estimates = 3000;
    const PlanSearch late = search_plans(costs, settings);
    EXPECT_LE(early.lower_bound, late.plans[0].value) << "seed " << seed;
    EXPECT_LE(late.plans[0].value, early.plans[0].value) << "seed " << seed;
    EXPECT_EQ(early.gap() == 0, early.optimal());
    if (early.plans[0].value > late.plans[0].value) {
      EXPECT_FALSE(early.optimal());
    }
  }
}

TEST(PlanSearch, ends_with_thirty_stages_on_six_units) {
  for (const bool slow_downs : {false, true}) {
    const auto costs = random_costs(7, {.stages = 30, .units = 6, .slow_downs = slow_downs});
    PlanSearchSettings settings{.objective = PlanObjective::throughput, .steps = 100, .top = 1};
    settings.most_nodes = 2000;
    settings.most_estimates = 50;
    const PlanSearch search = search_plans(costs, settings);
    EXPECT_GE(search.gap(), 0);
    EXPECT_LT(search.gap(), 1);
    EXPECT_GT(search.lower_bound.count(), 0);
    EXPECT_LE(search.plans[0].value, search.best_single->value);
  }
}

TEST(PlanSearch, ranks_candidates_that_are_given_each_with_the_best_of_its_shares) {
  const auto costs = costs_of({{30, 10}, {70, 50}}, {"CPU", "GPU"});
  std::vector<Plan> candidates;
  for (const char* text :
       {"GPU[1-2]", "CPU+GPU[1-2 0.50/0.50]", "CPU+GPU[1-2 0.75/0.25]", "CPU[1] | GPU[2]", "CPU[1-2]"})
    candidates.push_back(parse_plan(text, ""));
  const PlanSearch ranked = rank_plans(candidates, costs, {.top = 3});
  ASSERT_EQ(ranked.plans.size(), 3u);
  EXPECT_EQ(to_string(ranked.plans[0].plan), "CPU+GPU[1-2 0.75/0.25]");
  EXPECT_EQ(to_string(ranked.plans[1].plan), "CPU[1-2]");
  EXPECT_EQ(to_string(ranked.plans[2].plan), "CPU[1] | GPU[2]");
  EXPECT_EQ(ranked.best_single->value.count(), 40);
  EXPECT_TRUE(ranked.optimal());
  EXPECT_EQ(refused_with([&] { rank_plans({}, costs, {}); }),
            "no plan is possible: no candidate can run with these costs");
  EXPECT_EQ(refused_with([&] { rank_plans(candidates, costs, {.top = 0}); }),
            "plan search: 0 is not a number of plans; ask for 1 or more");
}

TEST(PlanSearch, names_the_stage_that_no_unit_runs) {
  EXPECT_EQ(
      search_refusal(costs_of({{1, -1}, {1, -1}}, {"CPU", "GPU"})),
      "no plan is possible: stage 2 cannot run on any unit (CPU: the costs have no time of stage 2 on CPU; GPU: the "
      "costs have no time of stage 2 on GPU)");
  EXPECT_THAT(search_refusal(costs_of({{1, -1}, {-1, 1}}, {"CPU", "GPU"}), {.most_blocks = 1}),
              HasSubstr("do not cover all stages"));
}

TEST(PlanSearch, refuses_settings_that_ask_for_nothing) {
  const auto costs = costs_of({{1}}, {"CPU"});
  EXPECT_THAT(search_refusal(costs, {.top = 0}), HasSubstr("0 is not a number of plans"));
  EXPECT_THAT(search_refusal(costs, {.steps = 0}), HasSubstr("1/0 is not a share"));
  EXPECT_THAT(search_refusal(costs, {.most_blocks = 0}), HasSubstr("0 is not a number of blocks"));
  EXPECT_THAT(search_refusal(costs, {.objective = PlanObjective::throughput, .batches = 0}), HasSubstr("0 batches"));
  EXPECT_THAT(search_refusal(costs_of({{std::int64_t{1} << 61}}, {"CPU"})), HasSubstr("a cost is too large"));
  EXPECT_THAT(search_refusal(PlanCostTable(3, std::vector<std::string>(9, "U"))), HasSubstr("9 units were given"));
  EXPECT_THAT(search_refusal(PlanCostTable(0, {"CPU"})), HasSubstr("no stages were given"));
}

}  // namespace
}  // namespace takt
