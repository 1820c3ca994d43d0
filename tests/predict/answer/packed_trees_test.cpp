#include "predict/fit/packed_trees.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/basics/error.h"

namespace takt {
namespace {

using testing::HasSubstr;

constexpr float absent = std::numeric_limits<float>::quiet_NaN();

/// Two trees of two features: f0 < 2 ? 10 : (f1 < 4 ? 20 : 30), missing f0 left and missing f1 right; and a leaf of 0.25.
TreeEnsemble two_trees() {
  return parse_trees(R"({"learner": {"objective": {"name": "reg:squarederror"},
      "learner_model_param": {"base_score": "5E-1"}, "gradient_booster": {"name": "gbtree", "model": {"trees": [
      {"left_children": [1, -1, 3, -1, -1], "right_children": [2, -1, 4, -1, -1], "split_indices": [0, 0, 1, 0, 0],
       "split_conditions": [2, 10, 4, 20, 30], "default_left": [1, 0, 0, 0, 0]},
      {"left_children": [-1], "right_children": [-1], "split_indices": [0], "split_conditions": [0.25],
       "default_left": [0]}]}}}})",
                     "x.json", 2);
}

std::vector<double> answers_of(const TreeEnsemble& trees) {
  std::vector<double> answers;
  for (const auto& [a, b] : {std::pair{1.0f, 0.0f}, {2.0f, 3.0f}, {3.0f, 4.0f}, {absent, 0.0f}, {3.0f, absent}})
    answers.push_back(trees.predict(std::vector<float>{a, b}));
  return answers;
}

std::string packed_trees_refusal(const std::string& packed) {
  try {
    unpacked_trees(packed, "conv.trees", 2);
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(PackedTrees, decide_as_before_they_were_packed) {
  const std::vector<double> expected{10.75, 20.75, 30.75, 10.75, 30.75};
  EXPECT_EQ(answers_of(two_trees()), expected);
  const std::string packed = packed_trees(two_trees());
  EXPECT_TRUE(are_packed_trees(packed));
  const TreeEnsemble again = unpacked_trees(packed, "conv.trees", 2);
  EXPECT_EQ(answers_of(again), expected);
  EXPECT_EQ(again.trees(), 2u);
  EXPECT_EQ(again.nodes(), 6u);
  EXPECT_EQ(packed_trees(again), packed);
  EXPECT_EQ(packed.size(), 13u + 16 + 6 * 6) << "six nodes of six bytes";
}

TEST(PackedTrees, become_what_a_reader_of_xgboost_reads) {
  const std::string json = trees_json(unpacked_trees(packed_trees(two_trees()), "conv.trees", 2));
  EXPECT_EQ(answers_of(parse_trees(json, "x.json", 2)), answers_of(two_trees()));
}

TEST(PackedTrees, damage_is_refused) {
  const std::string packed = packed_trees(two_trees());
  for (std::size_t size = 13; size < packed.size(); ++size)
    EXPECT_THAT(packed_trees_refusal(packed.substr(0, size)), HasSubstr("conv.trees: ")) << size;
  EXPECT_THAT(packed_trees_refusal(packed + "x"), HasSubstr("is no file of trees"));
  EXPECT_THAT(packed_trees_refusal("text"), HasSubstr("is no file of trees"));
  std::string beyond = packed;
  beyond[13 + 16] = 5;  // the first node's place; a leaf has 4
  EXPECT_THAT(packed_trees_refusal(beyond), HasSubstr("a node of no tree"));
  std::string cut = packed;
  cut[13 + 16] = 4;  // the root of the first tree is a leaf, and what was below it belongs to nobody
  EXPECT_THAT(packed_trees_refusal(cut), HasSubstr("nodes of no tree"));
}

}  // namespace
}  // namespace takt
