#include "plan/search/source_plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace takt {
namespace {

std::size_t count_of(Network network, int blocks, bool with_shares) {
  SourcePlanSettings settings{.most_blocks = blocks};
  if (with_shares) settings.shares = {0.3, 0.5, 0.7};
  const auto plans = source_plans(rules_for(network), settings);
  return static_cast<std::size_t>(std::count_if(plans.begin(), plans.end(), [&](const Plan& plan) {
    return plan.blocks.size() == static_cast<std::size_t>(blocks);
  }));
}

TEST(SourcePlans, refuse_what_scatters_on_npus) {
  EXPECT_EQ(rules_for(Network::sage).refused.at("NPU"), (std::vector{3, 4}));
  EXPECT_EQ(rules_for(Network::gcn).refused.at("NPU"), (std::vector{1, 4}));
  EXPECT_EQ(rules_for(Network::gat).refused.at("NPU"), (std::vector{4, 6}));
  EXPECT_EQ(rules_for(Network::gcn).stages, 6);
}

TEST(SourcePlans, are_thirty_for_seven_stages_and_two_of_them_are_one_unit) {
  EXPECT_EQ(source_plans(rules_for(Network::sage)).size(), 30u);
  EXPECT_EQ(source_plans(rules_for(Network::sage), {.with_single = false}).size(), 28u);
}

// By hand for GraphSAGE, where NPUs refuse stages 3 and 4. One block: CPU, GPU, both: 3. Two blocks: CPU and GPU in
// either order at 6 cuts: 12; NPU behind one of the three at the 3 cuts behind stage 4: 9; in front of them at the 2
// cuts before stage 3: 6.
TEST(SourcePlans, are_as_many_by_number_of_blocks_as_counted_by_hand) {
  EXPECT_EQ(count_of(Network::sage, 1, false), 3u);
  EXPECT_EQ(count_of(Network::sage, 2, false), 27u);
  EXPECT_EQ(count_of(Network::sage, 1, true), 5u);
  EXPECT_EQ(count_of(Network::sage, 2, true), 37u);
  EXPECT_EQ(count_of(Network::sage, 3, true), 50u);
  EXPECT_EQ(count_of(Network::gat, 1, true), 5u);
  EXPECT_EQ(count_of(Network::gat, 2, true), 32u);
  EXPECT_EQ(count_of(Network::gat, 3, true), 42u);
  EXPECT_EQ(count_of(Network::gcn, 1, true), 5u);
  EXPECT_EQ(count_of(Network::gcn, 2, true), 20u);
  EXPECT_EQ(count_of(Network::gcn, 3, true), 22u);
}

TEST(SourcePlans, keep_the_rules_and_none_is_there_twice) {
  for (const Network network : all_networks) {
    const PlanRules rules = rules_for(network);
    std::set<std::string> texts;
    for (const Plan& plan : source_plans(rules, {.most_blocks = 3, .shares = {0.3, 0.5, 0.7}})) {
      EXPECT_EQ(broken_rule(plan, rules), std::nullopt);
      EXPECT_TRUE(texts.insert(to_string(plan)).second) << to_string(plan);
    }
  }
}

TEST(SourcePlans, of_a_name_keep_the_rules_of_the_network_they_are_for) {
  for (const std::string& name : named_plans())
    EXPECT_EQ(broken_rule(plan_named(name).value(), rules_for(Network::sage)), std::nullopt) << name;
  EXPECT_EQ(to_string(plan_named("pep2").value()), "CPU[1-4] | GPU+NPU[5-7 0.70/0.30]");
  EXPECT_EQ(plan_named("PEP4"), std::nullopt);
}

}  // namespace
}  // namespace takt
