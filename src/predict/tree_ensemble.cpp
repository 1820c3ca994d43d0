#include "predict/tree_ensemble.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"
#include "core/index.h"
#include "core/strict_json.h"
#include "core/text.h"

namespace takt {
namespace {

using Json = nlohmann::json;

/// One tree of the file, its lists checked to be of one length.
struct TreeLists {
  std::vector<std::int64_t> left, right, feature, default_left;
  std::vector<double> value;  ///< threshold or leaf

  TreeLists(const Json& tree, const std::string& where) {
    read(tree, "left_children", left), read(tree, "right_children", right);
    read(tree, "split_indices", feature), read(tree, "default_left", default_left);
    read(tree, "split_conditions", value);
    const std::size_t size = left.size();
    if (size == 0 || right.size() != size || feature.size() != size || default_left.size() != size ||
        value.size() != size)
      refuse_input(fmt::format("{}: lists of its nodes differ in length; train the predictor anew", where));
    if (const auto types = tree.find("split_type"); types != tree.end())
      for (const Json& type : *types)
        if (type != 0) refuse_input(fmt::format("{}: splits by categories, which takt does not make", where));
  }

  template <typename Value>
  static void read(const Json& tree, const char* key, std::vector<Value>& list) {
    for (const Json& one : tree.at(key)) list.push_back(one.is_boolean() ? Value(one.get<bool>()) : one.get<Value>());
  }
};

float finite_float(double value, const std::string& where) {
  const auto narrow = static_cast<float>(value);
  if (!std::isfinite(narrow)) refuse_input(fmt::format("{}: holds a number that is not finite", where));
  return narrow;
}

double base_score_in(const Json& learner, std::string_view where) {
  const Json& parameters = learner.at("learner_model_param");
  const auto score = number_in<double>(parameters.at("base_score").get<std::string>());
  if (!score || !std::isfinite(*score)) refuse_input(fmt::format("{}: 'base_score' is no number", where));
  return *score;
}

}  // namespace

double TreeEnsemble::leaf(std::int32_t root, const float* features) const {
  const Node* node = &nodes_[static_cast<std::size_t>(root)];
  while (node->feature >= 0) {
    const float value = features[node->feature];
    const bool left = std::isnan(value) ? node->missing_goes_left : value < node->value;
    node = &nodes_[static_cast<std::size_t>(node->left)] + (left ? 0 : 1);
  }
  return static_cast<double>(node->value);
}

double TreeEnsemble::predict(std::span<const float> features) const {
  double sum = base_;
  for (const std::int32_t root : roots_) sum += leaf(root, features.data());
  return sum;
}

std::vector<double> TreeEnsemble::predict_rows(std::span<const float> rows) const {
  std::vector<double> sums(features_ == 0 ? 0 : rows.size() / features_, base_);
  for (const std::int32_t root : roots_)
    for (std::size_t row = 0; row < sums.size(); ++row) sums[row] += leaf(root, rows.data() + row * features_);
  return sums;
}

TreeEnsemble parse_trees(std::string_view json, std::string_view where, std::size_t features) {
  TreeEnsemble ensemble;
  ensemble.features_ = features;
  const Json file = parse_strictly(json, where);
  // Copies nodes from the root on, children side by side. A node that is reached twice makes no tree, so each tree is
  // done after as many steps as it has nodes.
  const auto add = [&](const TreeLists& tree, const std::string& place) {
    ensemble.roots_.push_back(static_cast<std::int32_t>(ensemble.nodes_.size()));
    std::vector<std::pair<std::size_t, std::size_t>> waiting{{0, ensemble.nodes_.size()}};
    ensemble.nodes_.emplace_back();
    std::vector<bool> seen(tree.left.size());
    const auto count = static_cast<std::int64_t>(tree.left.size());
    while (!waiting.empty()) {
      const auto [from, to] = waiting.back();
      waiting.pop_back();
      if (seen[from]) refuse_input(fmt::format("{}: a node has two parents; train the predictor anew", place));
      seen[from] = true;
      TreeEnsemble::Node node;
      node.value = finite_float(tree.value[from], place);
      const std::int64_t left = tree.left[from], right = tree.right[from];
      if (left >= 0 || right >= 0) {
        if (left <= 0 || right <= 0 || left >= count || right >= count || tree.feature[from] < 0 ||
            index(tree.feature[from]) >= features)
          refuse_input(fmt::format("{}: a node names a child or a feature that is not there", place));
        node.feature = static_cast<std::int32_t>(tree.feature[from]);
        node.missing_goes_left = tree.default_left[from] != 0;
        node.left = static_cast<std::int32_t>(ensemble.nodes_.size());
        waiting.emplace_back(index(left), ensemble.nodes_.size());
        waiting.emplace_back(index(right), ensemble.nodes_.size() + 1);
        ensemble.nodes_.resize(ensemble.nodes_.size() + 2);
      }
      ensemble.nodes_[to] = node;
    }
  };
  try {
    const Json& learner = file.at("learner");
    if (learner.at("objective").at("name") != "reg:squarederror" ||
        learner.at("gradient_booster").at("name") != "gbtree")
      refuse_input(fmt::format("{}: holds no regression by trees", where));
    ensemble.base_ = base_score_in(learner, where);
    const Json& trees = learner.at("gradient_booster").at("model").at("trees");
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const std::string place = fmt::format("{}: tree {}", where, i);
      add(TreeLists(trees.at(i), place), place);
    }
  } catch (const Json::exception& error) {
    refuse_input(fmt::format("{}: is no model of XGBoost ({})", where, error.what()));
  }
  return ensemble;
}

}  // namespace takt
