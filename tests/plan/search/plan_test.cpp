#include "plan/estimate/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/statistics/random.h"

namespace takt {
namespace {

using testing::HasSubstr;

const Plan pep1{{{{1, 5}, {{"CPU", 0.3}, {"GPU", 0.7}}}, {{6, 7}, {{"NPU", 1}}}}};

std::string text_refusal(const std::string& text) {
  try {
    parse_plan(text, "a plan");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string json_refusal(const std::string& json) {
  try {
    parse_plan_json(json, "a.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string broken(const std::string& text, const PlanRules& rules = {}) {
  return broken_rule(parse_plan(text, "a plan"), rules).value_or("");
}

TEST(Plan, is_written_as_a_text_that_says_units_stages_and_shares) {
  EXPECT_EQ(to_string(pep1), "CPU+GPU[1-5 0.30/0.70] | NPU[6-7]");
  EXPECT_EQ(to_string(Plan{{{{1, 1}, {{"CPU", 1}}}}}), "CPU[1]");
  EXPECT_EQ(to_string(Plan{{{{1, 2}, {{"CPU", 0.125}, {"GPU", 0.875}}}}}), "CPU+GPU[1-2 0.125/0.875]");
}

TEST(Plan, is_read_from_its_text_with_blanks_as_one_likes) {
  EXPECT_EQ(parse_plan("CPU+GPU[1-5 0.30/0.70] | NPU[6-7]", ""), pep1);
  EXPECT_EQ(parse_plan("  CPU + GPU[ 1-5 .3/0.7 ]|NPU[6-7]", ""), pep1);
}

TEST(Plan, is_written_as_json_as_others_write_it) {
  EXPECT_EQ(to_json(pep1), R"([[["CPU","GPU"],[1,2,3,4,5],[0.3,0.7]],[["NPU"],[6,7]]])");
  EXPECT_EQ(parse_plan_json(R"([[["CPU", "GPU"], [1,2,3,4,5], [0.3,0.7]], [["NPU"], [6,7], [1.0]]])", ""), pep1);
}

TEST(Plan, survives_both_forms_with_any_shares) {
  Random random(3);
  for (int n = 0; n < 500; ++n) {
    const double share = positive_uniform(random) * 0.999;
    const Plan plan{{{{1, 3}, {{"GPU", share}, {"sim:fast one", 1 - share}}}, {{4, 4}, {{"CPU", 1}}}}};
    ASSERT_EQ(parse_plan(to_string(plan), ""), plan) << to_string(plan);
    ASSERT_EQ(parse_plan_json(to_json(plan), ""), plan) << to_json(plan);
  }
}

TEST(Plan, scales_shares_that_were_rounded) {
  const Plan plan = parse_plan("CPU+GPU+NPU[1-7 0.33/0.33/0.33]", "");
  for (const PlanPart& part : plan.blocks[0].parts) EXPECT_DOUBLE_EQ(part.share, 1.0 / 3);
}

TEST(Plan, names_the_block_of_a_text_that_is_none) {
  EXPECT_THAT(text_refusal("CPU[1-4] | GPU"), HasSubstr("a plan: block 2: 'GPU' is not a block"));
  EXPECT_THAT(text_refusal("CPU+[1]"), HasSubstr("'' is not the name of a unit"));
  EXPECT_THAT(text_refusal("CPU[x]"), HasSubstr("block 1"));
  EXPECT_THAT(text_refusal("CPU[1-]"), HasSubstr("block 1"));
  EXPECT_THAT(text_refusal("CPU[1-0]"), HasSubstr("is not a block"));
  EXPECT_THAT(text_refusal("CPU[0-1]"), HasSubstr("is not a block"));
  EXPECT_THAT(text_refusal("CPU[1-2000000000]"), HasSubstr("is not a block"));
  EXPECT_THAT(text_refusal(""), HasSubstr("'' is not a block"));
  EXPECT_THAT(text_refusal("CPU+GPU[1-7]"), HasSubstr("has 0 shares for 2 units"));
  EXPECT_THAT(text_refusal("CPU+GPU[1-7 0.5/0.4]"), HasSubstr("add up to 0.9, not to 1"));
  EXPECT_THAT(text_refusal("CPU+GPU[1-7 0/1]"), HasSubstr("has the share 0;"));
  EXPECT_THAT(text_refusal("CPU+GPU[1-7 nan/1]"), HasSubstr("has the share nan"));
  EXPECT_THAT(text_refusal("CPU+GPU[1-7 half/half]"), HasSubstr("is not a block"));
}

TEST(Plan, names_the_block_of_json_that_is_none) {
  EXPECT_THAT(json_refusal("{}"), HasSubstr("a.json: is not a plan"));
  EXPECT_THAT(json_refusal("[]"), HasSubstr("is not a plan"));
  EXPECT_THAT(json_refusal("[[["), HasSubstr("is not a plan"));
  EXPECT_THAT(json_refusal(R"([[["CPU"]]])"), HasSubstr("a.json: block 1: is [[\"CPU\"]]; give"));
  EXPECT_THAT(json_refusal(R"([[3,[1]]])"), HasSubstr("block 1: its units are 3; give a list of names"));
  EXPECT_THAT(json_refusal(R"([[["CPU"],3]])"), HasSubstr("block 1: its stages are 3; give a list of numbers"));
  EXPECT_THAT(json_refusal(R"([[["CPU"],[1],3]])"), HasSubstr("block 1: its shares are 3; give a list of numbers"));
  EXPECT_THAT(json_refusal(R"([[["CPU"],[1,3]]])"), HasSubstr("stage 3 comes after stage 1"));
  EXPECT_THAT(json_refusal(R"([[["CPU"],[1.5]]])"), HasSubstr("1.5 is not the number of a stage"));
  EXPECT_THAT(json_refusal(R"([[["CPU"],[99999999999999999999]]])"), HasSubstr("is not the number of a stage"));
  EXPECT_THAT(json_refusal(R"([[["CPU"],[0]]])"), HasSubstr("0 is not the number of a stage"));
  EXPECT_THAT(json_refusal(R"([[["CPU"],[1]],[[7],[2]]])"), HasSubstr("block 2: 7 is not the name of a unit"));
  EXPECT_THAT(json_refusal(R"([[["C+U"],[1]]])"), HasSubstr("'C+U' is not the name of a unit"));
  EXPECT_THAT(json_refusal(R"([[["C\u0007"],[1]]])"), HasSubstr("is not the name of a unit"));
  EXPECT_THAT(json_refusal(R"([[["CPU","GPU"],[1],["a",1]]])"), HasSubstr("\"a\" is not a share"));
  EXPECT_THAT(json_refusal(R"([[["CPU","GPU"],[1],[1]]])"), HasSubstr("has 1 shares for 2 units"));
}

TEST(Plan, keeps_the_rules_or_says_which_it_breaks) {
  const PlanRules sage{7, {"CPU", "GPU", "NPU"}, {{"NPU", {3, 4}}}};
  EXPECT_EQ(broken_rule(pep1, sage), std::nullopt);
  EXPECT_EQ(broken("CPU[1-2] | NPU[3-7]", sage), "block 2: NPU cannot run stage 3");
  EXPECT_EQ(broken("CPU[2-7]"), "block 1: starts with stage 2, but stage 1 is next");
  EXPECT_EQ(broken("CPU[1-3] | GPU[5-7]"), "block 2: starts with stage 5, but stage 4 is next");
  EXPECT_EQ(broken("CPU[1-6]"), "ends with stage 6, but there are 7");
  EXPECT_EQ(broken("CPU[1-8]"), "block 1: ends with stage 8, but the last one is 7");
  EXPECT_EQ(broken("CPU[1-7] | GPU[8]"), "block 2: comes after the last stage, 7");
  EXPECT_EQ(broken_rule(Plan{{{{1, 0}, {{"CPU", 1}}}}}, {}), "block 1: has no stage from 1-0");
  EXPECT_EQ(broken("TPU[1-7]"), "block 1: the unit 'TPU' does not exist; use CPU, GPU, NPU");
  EXPECT_EQ(broken("CPU+CPU[1-7 0.5/0.5]"), "block 1: has CPU twice");
  EXPECT_EQ(broken_rule(Plan{}, {}), "has no block");
  EXPECT_EQ(broken_rule(Plan{{{{1, 7}, {{"CPU", 0.5}}}}}, {}), "block 1: its shares add up to 0.5, not to 1");
}

TEST(Plan, may_use_a_unit_twice_where_units_are_shared) {
  const std::string twice = "CPU[1-2] | GPU[3-4] | CPU[5-7]";
  EXPECT_EQ(broken(twice), "block 3: CPU is also in an earlier block; each unit may be in one block only");
  PlanRules shared;
  shared.units_once = false;
  EXPECT_EQ(broken(twice, shared), "");
}

}  // namespace
}  // namespace takt
