#include "predict/fit/tree_ensemble.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "predict/fit/tree_training.h"

namespace takt {
namespace {

using testing::HasSubstr;

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

std::string file_of(const std::string& trees, const std::string& objective = "reg:squarederror") {
  return R"({"learner": {"objective": {"name": ")" + objective +
         R"("}, "learner_model_param": {"base_score": "5E-1"}, "gradient_booster": {"name": "gbtree", "model": {"trees": [)" +
         trees + "]}}}}";
}

/// f0 < 2 ? 10 : (f1 < 4 ? 20 : 30); where f0 is missing 10, where f1 is missing the right.
std::string one_tree(const std::string& left = "[1, -1, 3, -1, -1]") {
  return R"({"left_children": )" + left +
         R"(, "right_children": [2, -1, 4, -1, -1], "split_indices": [0, 0, 1, 0, 0],
      "split_conditions": [2, 10, 4, 20, 30], "default_left": [1, 0, 0, 0, 0]})";
}

std::string tree_refusal(const std::string& json, std::size_t features = 2) {
  try {
    parse_trees(json, "x.json", features);
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(TreeEnsemble, a_tree_decides_as_it_is_drawn) {
  const TreeEnsemble trees = parse_trees(file_of(one_tree()), "x.json", 2);
  const auto at = [&](float a, float b) { return trees.predict(std::vector<float>{a, b}); };
  EXPECT_EQ(trees.trees(), 1u);
  EXPECT_EQ(trees.nodes(), 5u);
  EXPECT_EQ(at(1, 0), 10.5);
  EXPECT_EQ(at(2, 3), 20.5);  // not below 2
  EXPECT_EQ(at(3, 4), 30.5);
  EXPECT_EQ(at(missing, 0), 10.5);
  EXPECT_EQ(at(3, missing), 30.5);
}

TEST(TreeEnsemble, trees_add_up) {
  const TreeEnsemble trees = parse_trees(file_of(one_tree() + "," + one_tree()), "x.json", 2);
  EXPECT_EQ(trees.predict(std::vector<float>{1, 0}), 20.5);
  EXPECT_EQ(trees.predict_rows(std::vector<float>{1, 0, 1, 0}), (std::vector<double>{20.5, 20.5}));
  EXPECT_TRUE(trees.predict_rows({}).empty());
}

// More rows and more trees than go down together, and not a multiple of them.
TEST(TreeEnsemble, many_rows_and_many_trees_decide_as_one_row_and_one_tree_do) {
  std::string eleven = one_tree();
  for (int i = 1; i < 11; ++i) eleven += "," + one_tree();
  const TreeEnsemble trees = parse_trees(file_of(eleven), "x.json", 2);
  Random random(3);
  std::vector<float> rows;
  for (int i = 0; i < 2 * 19; ++i)
    rows.push_back(uniform(random) < 0.2 ? missing : static_cast<float>(8 * uniform(random) - 1));
  rows[2 * 5] = std::numeric_limits<float>::infinity(), rows[2 * 7] = -std::numeric_limits<float>::infinity();
  const std::vector<double> all = trees.predict_rows(rows);
  ASSERT_EQ(all.size(), 19u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const float a = rows[2 * i], b = rows[2 * i + 1];
    EXPECT_EQ(all[i], 0.5 + 11 * (std::isnan(a) || a < 2 ? 10 : b < 4 ? 20 : 30)) << a << " " << b;
    EXPECT_EQ(all[i], trees.predict(std::span(rows).subspan(2 * i, 2)));
  }
}

TEST(TreeEnsemble, refuses_what_is_none) {
  EXPECT_THAT(tree_refusal("{}"), HasSubstr("x.json: is not a model of XGBoost"));
  EXPECT_THAT(tree_refusal("tree"), HasSubstr("x.json"));
  EXPECT_THAT(tree_refusal(file_of(one_tree(), "multi:softmax")), HasSubstr("is not a regression"));
  EXPECT_THAT(tree_refusal(file_of(one_tree()), 1), HasSubstr("names a child or a feature that does not exist"));
  EXPECT_THAT(tree_refusal(file_of(one_tree("[1, -1, 9, -1, -1]"))), HasSubstr("names a child"));
  EXPECT_THAT(tree_refusal(file_of(one_tree("[1, -1, 0, -1, -1]"))), HasSubstr("names a child"));  // a circle
  EXPECT_THAT(tree_refusal(file_of(one_tree("[1, -1, 1, -1, -1]"))), HasSubstr("has two parents"));
  EXPECT_THAT(tree_refusal(file_of(one_tree("[1, -1, 3]"))), HasSubstr("differ in length"));
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = file_of(one_tree());
    EXPECT_NE(text.find(from), text.npos) << from;
    return tree_refusal(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_THAT(with("\"default_left\"", "\"split_type\": [1, 0, 0, 0, 0], \"default_left\""),
              HasSubstr("splits by categories"));
  EXPECT_THAT(with("[2, 10, 4, 20, 30]", "[2, 1e300, 4, 20, 30]"), HasSubstr("has a number that is not finite"));
  EXPECT_THAT(with("\"base_score\": \"", "\"base_score\": \"a"), HasSubstr("'base_score' is not a number"));
  EXPECT_EQ(tree_refusal(file_of(one_tree("[1, -1, 3, \"-1\", -1]"))),
            "x.json: tree 0: 'left_children' has \"-1\", which is not a whole number");
  EXPECT_THAT(tree_refusal(file_of(one_tree("[1, -1, 3.5, -1, -1]"))),
              HasSubstr("'left_children' has 3.5, which is not a whole number"));
}

// y = 3·a for b below 0.5, else 100 − a, and 50 more where c is missing: 0 to 150, found from 600 rows.
TEST(TreeTraining, a_law_is_found_and_read_back) {
  if (!can_train_trees()) GTEST_SKIP() << "no XGBoost in this binary";
  Random random(7);
  FeatureMatrix matrix{3, {}};
  std::vector<float> targets;
  for (int i = 0; i < 600; ++i) {
    const auto a = static_cast<float>(10 * uniform(random)), b = static_cast<float>(uniform(random));
    const bool has_c = uniform(random) < 0.5;
    matrix.values.insert(matrix.values.end(), {a, b, has_c ? 1.0f : missing});
    targets.push_back((b < 0.5f ? 3 * a : 100 - a) + (has_c ? 0.0f : 50.0f));
  }
  for (const TreeKind kind : {TreeKind::boosting, TreeKind::forest}) {
    TreeSettings settings{.kind = kind, .trees = kind == TreeKind::boosting ? 200 : 40};
    const std::string json = train_trees(matrix, targets, {}, settings);
    EXPECT_EQ(json, train_trees(matrix, targets, {}, settings));  // the same input, the same bytes
    const TreeEnsemble trees = parse_trees(json, "trained", 3);
    double error = 0;
    for (std::size_t i = 0; i < matrix.rows(); ++i)
      error += std::abs(trees.predict(matrix.row(i)) - static_cast<double>(targets[i]));
    EXPECT_LT(error / 600, kind == TreeKind::boosting ? 3 : 15) << static_cast<int>(kind);
    EXPECT_NEAR(trees.predict(std::vector<float>{5, 0.2f, 1}), 15, 25);
    EXPECT_NEAR(trees.predict(std::vector<float>{5, 0.8f, missing}), 145, 25);
  }
}

}  // namespace
}  // namespace takt
