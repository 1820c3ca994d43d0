#include "plan/sets/set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/basics/error.h"
#include "places.h"
#include "plan/search/plan_words.h"
#include "refused.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Costs = std::vector<std::vector<PlanSet::Cost>>;

/// One stage: the CPU takes 1 ns per node, the GPU 1000 ns and 0.5 ns per node. They cross at 2000 nodes.
std::shared_ptr<const PlanCosts> crossing_costs(const GraphSize& size) {
  return std::make_shared<PlanCostTable>(costs_of({{size.nodes}, {1000 + size.nodes / 2}}, {"CPU", "GPU"}));
}

const PlanSetSettings whole_batches{.search = {.divide = false}, .switch_cost = Nanoseconds(100)};

Costs costs_of_stream(const PlanSet& set, const CostsAt& costs_at, const std::vector<GraphSize>& stream) {
  Costs costs;
  for (const GraphSize& size : stream) {
    auto& batch = costs.emplace_back();
    for (const Plan& plan : set.plans) batch.push_back(cost_per_batch(plan, *costs_at(size), {}));
  }
  return costs;
}

std::int64_t total_of_fixed(const Costs& costs, std::size_t plan) {
  std::int64_t total = 0;
  for (const auto& batch : costs) total += batch[plan]->count();
  return total;
}

/// Which would be reached if every batch had its best plan and changes cost nothing.
std::int64_t total_of_oracle(const Costs& costs) {
  std::int64_t total = 0;
  for (const auto& batch : costs) total += std::min_element(batch.begin(), batch.end())->value().count();
  return total;
}

TEST(PlanSet, has_the_best_plan_of_each_size_and_the_size_where_they_cross) {
  const PlanSet set = compile_plan_set(crossing_costs, {{1000, 0}, {1500, 0}, {4000, 0}}, whole_batches);
  ASSERT_EQ(set.plans.size(), 2u);
  EXPECT_EQ(to_string(set.plans[0]), "CPU[1]");
  EXPECT_EQ(to_string(set.plans[1]), "GPU[1]");
  EXPECT_EQ(set.points[1].best, 0);
  EXPECT_EQ(set.points[2].best, 1);
  EXPECT_THAT(set.points[2].costs, ElementsAre(Nanoseconds(4000), Nanoseconds(3000)));
  ASSERT_EQ(set.thresholds.size(), 1u);
  EXPECT_EQ(set.thresholds[0].below, 0);
  EXPECT_EQ(set.thresholds[0].above, 1);
  // nodes − (1000 + nodes / 2), rounded down, is 1 at 2001 nodes, 100 at 2199, and −100 at 1799 and 1800.
  EXPECT_EQ(set.thresholds[0].at.nodes, 2001);
  ASSERT_TRUE(set.thresholds[0].up && set.thresholds[0].down);
  EXPECT_EQ(set.thresholds[0].up->nodes, 2199);
  EXPECT_EQ(set.thresholds[0].down->nodes, 1800);
}

TEST(PlanSet, leaves_a_threshold_open_where_no_batch_pays_for_the_switch) {
  auto settings = whole_batches;
  settings.switch_cost = Nanoseconds(700);
  const PlanSet set = compile_plan_set(crossing_costs, {{1000, 0}, {4000, 0}}, settings);
  ASSERT_EQ(set.thresholds.size(), 1u);
  EXPECT_TRUE(set.thresholds[0].up);
  EXPECT_FALSE(set.thresholds[0].down);  // at 1000 nodes the CPU gains 500
}

TEST(PlanSet, keeps_as_few_plans_as_are_needed) {
  // Near 2000 nodes, the one plan is hardly better than the other.
  const std::vector<GraphSize> sizes{{1980, 0}, {2020, 0}};
  EXPECT_EQ(compile_plan_set(crossing_costs, sizes, whole_batches).plans.size(), 1u);
  auto exact = whole_batches;
  exact.tolerance = 0;
  EXPECT_EQ(compile_plan_set(crossing_costs, sizes, exact).plans.size(), 2u);
}

TEST(PlanSet, is_refused_where_nothing_is_known) {
  const auto refusal = [](const CostsAt& costs_at, const std::vector<GraphSize>& sizes,
                          const PlanSetSettings& settings = whole_batches) -> std::string {
    try {
      compile_plan_set(costs_at, sizes, settings);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(crossing_costs, {}), HasSubstr("no sizes were given"));
  EXPECT_THAT(refusal([](const GraphSize&) { return nullptr; }, {{7, 8}}),
              HasSubstr("the costs of 7 nodes and 8 edges are unknown"));
  EXPECT_THAT(refusal(crossing_costs, {{7, 8}}, {.switch_cost = Nanoseconds(-1)}),
              HasSubstr("the cost of a switch is negative"));
  for (const double tolerance : {-0.1, 1.0, std::nan("")})
    EXPECT_THAT(refusal(crossing_costs, {{7, 8}}, {.tolerance = tolerance}), HasSubstr("is not a share of a time"));
}

TEST(Switching, gains_where_plans_cross_over_what_one_can_work_out) {
  const PlanSet set = compile_plan_set(crossing_costs, {{1000, 0}, {4000, 0}}, whole_batches);
  std::vector<GraphSize> stream(10, {1000, 0});
  stream.insert(stream.end(), 10, {4000, 0});
  const auto costs = costs_of_stream(set, crossing_costs, stream);
  EXPECT_EQ(total_of_fixed(costs, 0), 50'000);
  EXPECT_EQ(total_of_fixed(costs, 1), 45'000);
  for (const auto& switched : {best_switching(costs, Nanoseconds(100)), chosen_switching(costs, Nanoseconds(100))}) {
    EXPECT_EQ(switched.total.count(), 10 * 1000 + 100 + 10 * 3000);
    EXPECT_EQ(switched.switches, 1);
  }
}

TEST(Switching, is_not_led_astray_by_single_batches) {
  // One batch gains 300 by another plan, there and back costs 400.
  const auto batch = [](std::int64_t a, std::int64_t b) {
    return std::vector<PlanSet::Cost>{Nanoseconds(a), Nanoseconds(b)};
  };
  Costs costs(9, batch(1000, 2000));
  costs[4] = batch(1000, 700);
  EXPECT_EQ(best_switching(costs, Nanoseconds(200)).switches, 0);
  EXPECT_EQ(chosen_switching(costs, Nanoseconds(301)).switches, 0);
  // Small gains that go on add up.
  Costs small(20, batch(1000, 900));
  small[0] = batch(1000, 1001);
  const auto chosen = chosen_switching(small, Nanoseconds(301));
  EXPECT_EQ(chosen.switches, 1);
  EXPECT_EQ(chosen.plans[3], 0);
  EXPECT_EQ(chosen.plans[4], 1);  // the fourth batch makes 400
}

TEST(Switching, changes_beside_the_best_plan_so_far_only_on_what_was_gained) {
  const auto batch = [](std::int64_t a, std::int64_t b) {
    return std::vector<PlanSet::Cost>{Nanoseconds(a), Nanoseconds(b)};
  };
  // Five batches under the first plan have gained 5000 against the second, but nothing against the first alone: what
  // the others would gain is missed until the second has been the better one for all of them.
  Costs costs(60, batch(1000, 900));
  for (std::size_t b = 0; b < 5; ++b) costs[b] = batch(1000, 2000);
  const auto late = chosen_switching(costs, Nanoseconds(301));
  EXPECT_EQ(late.switches, 1);
  EXPECT_EQ(late.plans[54], 0);
  EXPECT_EQ(late.plans[55], 1);  // 5000 + 51 · −100 is the first sum below 0
  // A batch that alone gains what the change costs is paid by itself.
  costs[6] = batch(1000, 699);
  EXPECT_EQ(chosen_switching(costs, Nanoseconds(301)).plans[6], 1);
}

TEST(Switching, avoids_plans_under_which_a_batch_is_not_possible) {
  const Costs costs{
      {Nanoseconds(10), Nanoseconds(20)}, {std::nullopt, Nanoseconds(20)}, {Nanoseconds(10), std::nullopt}};
  EXPECT_THAT(chosen_switching(costs, Nanoseconds(1000)).plans, ElementsAre(0, 1, 0));
  EXPECT_THAT(best_switching(costs, Nanoseconds(1000)).plans, ElementsAre(1, 1, 0));
  EXPECT_EQ(refused_with([&] { best_switching({{std::nullopt}}, Nanoseconds(1)); }),
            "plan set: none of the plans can run one of the batches; compile the set with its size");
  EXPECT_EQ(refused_with([&] { chosen_switching({{std::nullopt}}, Nanoseconds(1)); }),
            "plan set: none of the plans can run one of the batches; compile the set with its size");
  EXPECT_TRUE(best_switching({}, Nanoseconds(1)).plans.empty());
}

TEST(Switching, of_a_known_stream_is_the_best_of_all_ways) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    Costs costs(6);
    for (auto& batch : costs)
      for (int plan = 0; plan < 3; ++plan) batch.push_back(Nanoseconds(static_cast<std::int64_t>(random() % 20)));
    const Nanoseconds switch_cost(static_cast<std::int64_t>(random() % 15));
    std::int64_t best = 1'000'000;
    for (int way = 0; way < 729; ++way) {
      std::int64_t total = 0;
      for (int batch = 0, rest = way, before = -1; batch < 6; ++batch, rest /= 3) {
        const int plan = rest % 3;
        total += costs[static_cast<std::size_t>(batch)][static_cast<std::size_t>(plan)]->count();
        if (before >= 0 && before != plan) total += switch_cost.count();
        before = plan;
      }
      best = std::min(best, total);
    }
    ASSERT_EQ(best_switching(costs, switch_cost).total.count(), best) << "seed " << seed;
  }
}

TEST(Switching, is_within_two_percent_of_an_oracle_on_random_streams_of_mixed_sizes) {
  if (is_sanitized()) GTEST_SKIP() << only_more_cases;
  // The costs of a size are random laws of nodes, which often cross; a change costs a hundredth of a batch.
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const auto roll = [&](std::int64_t most) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> laws(3);  // by unit and stage: fixed, per node
    for (auto& unit : laws)
      for (int stage = 0; stage < 4; ++stage) unit.emplace_back(roll(2'000'000), 1 + roll(400));
    const CostsAt costs_at = [&](const GraphSize& size) {
      std::vector<std::vector<std::int64_t>> times;
      for (const auto& unit : laws) {
        auto& list = times.emplace_back();
        for (const auto& law : unit) list.push_back(law.first + law.second * size.nodes);
      }
      return std::make_shared<PlanCostTable>(costs_of(times, {"CPU", "GPU", "NPU"}));
    };
    PlanSetSettings settings{.search = {.objective = PlanObjective::throughput}, .tolerance = 0.002};
    std::vector<GraphSize> sizes;
    for (std::int64_t nodes = 1000; nodes <= 20'000; nodes += 1000) sizes.push_back({nodes, 0});
    const PlanSet set = compile_plan_set(costs_at, sizes, settings);

    Costs costs;
    std::int64_t best_at_sizes = 0;
    for (int batch = 0; batch < 400; ++batch) {
      const auto& point = set.points[static_cast<std::size_t>(roll(static_cast<std::int64_t>(set.points.size())))];
      costs.push_back(point.costs);
      best_at_sizes += point.best_known.count();
    }
    const Nanoseconds switch_cost(best_at_sizes / 400 / 100);
    const auto chosen = chosen_switching(costs, switch_cost), best = best_switching(costs, switch_cost);
    EXPECT_LE(static_cast<double>(chosen.total.count()), 1.02 * static_cast<double>(best_at_sizes)) << "seed " << seed;
    EXPECT_LE(best.total, chosen.total);
    EXPECT_GE(best.total.count(), total_of_oracle(costs));
    for (std::size_t plan = 0; plan < set.plans.size(); ++plan) {
      EXPECT_LE(best.total.count(), total_of_fixed(costs, plan));
      // It cannot know what comes, and pays for a change that the next batches undo.
      EXPECT_LE(static_cast<double>(chosen.total.count()), 1.005 * static_cast<double>(total_of_fixed(costs, plan)));
    }
  }
}

}  // namespace
}  // namespace takt
