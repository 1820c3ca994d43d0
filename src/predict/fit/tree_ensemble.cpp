#include "predict/fit/tree_ensemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"

namespace takt {
namespace {

constexpr float above_everything = std::numeric_limits<float>::infinity(), below_everything = -above_everything;
constexpr std::size_t abreast = 8;  // as many as a core has registers for

using Json = nlohmann::json;

/// One tree of the file, its lists checked to be of one length.
struct TreeLists {
  std::vector<std::int64_t> left, right, feature, default_left;
  std::vector<double> value;  ///< threshold or leaf

  TreeLists(const Json& tree, const std::string& where) {
    read(tree, where, "left_children", left), read(tree, where, "right_children", right);
    read(tree, where, "split_indices", feature), read(tree, where, "default_left", default_left);
    read(tree, where, "split_conditions", value);
    const std::size_t size = left.size();
    if (size == 0 || right.size() != size || feature.size() != size || default_left.size() != size ||
        value.size() != size)
      refuse_input(fmt::format("{}: lists of its nodes differ in length; train the predictor again", where));
    if (const auto types = tree.find("split_type"); types != tree.end())
      for (const Json& type : *types)
        if (type != 0) refuse_input(fmt::format("{}: splits by categories, which takt does not support", where));
  }

  template <typename Value>
  static void read(const Json& tree, const std::string& where, const char* key, std::vector<Value>& list) {
    for (const Json& one : tree.at(key)) {
      constexpr bool is_whole = std::is_integral_v<Value>;
      if (one.is_boolean())
        list.push_back(Value(one.get<bool>()));
      else if (is_whole ? one.is_number_integer() : one.is_number())
        list.push_back(one.get<Value>());
      else
        refuse_input(fmt::format("{}: '{}' has {}, which is not a {}number", where, key, JsonObject::shown(one),
                                 is_whole ? "whole " : ""));
    }
  }
};

float finite_float(double value, const std::string& where) {
  const auto narrow = static_cast<float>(value);
  if (!std::isfinite(narrow)) refuse_input(fmt::format("{}: has a number that is not finite", where));
  return narrow;
}

double base_score_in(const Json& learner, std::string_view where) {
  const Json& parameters = learner.at("learner_model_param");
  const auto score = number_in<double>(parameters.at("base_score").get<std::string>());
  if (!score || !std::isfinite(*score)) refuse_input(fmt::format("{}: 'base_score' is not a number", where));
  return *score;
}

}  // namespace

std::vector<float> TreeEnsemble::written_twice(std::span<const float> rows, std::size_t count) const {
  std::vector<float> places(count * places_of_row(), below_everything);
  for (std::size_t row = 0; row < count; ++row) {
    float* const high = &places[row * places_of_row()];
    for (std::size_t i = 0; i < features_; ++i) {
      const float value = rows[row * features_ + i];
      high[i] = std::isnan(value) ? above_everything : value;
      if (!std::isnan(value)) high[features_ + i] = value;
    }
  }
  return places;
}

template <std::size_t count>
void TreeEnsemble::go_down(std::array<std::int32_t, count>& at, const float* rows, std::size_t stride) const {
  const Node* const nodes = nodes_.data();
  const auto step = [nodes](std::int32_t& from, const float* row) {
    const Node& node = nodes[from];
    const std::int32_t next = node.left + (row[node.place] < node.limit ? 0 : 1);
    const std::int32_t moved = next ^ from;
    from = next;
    return moved;
  };
  // Written out, so that where each is stays in a register.
  const auto all_step = [&]<std::size_t... i>(std::index_sequence<i...>) {
    return (step(at[i], rows + i * stride) | ...);
  };
  while (all_step(std::make_index_sequence<count>()) != 0) {
  }
}

double TreeEnsemble::score_at(std::int32_t leaf) const {
  return static_cast<double>(nodes_[static_cast<std::size_t>(leaf)].score);
}

double TreeEnsemble::sum_of_row(const float* row) const {
  double sum = base_;
  std::size_t tree = 0;
  std::array<std::int32_t, abreast> several;
  for (; tree + abreast <= roots_.size(); tree += abreast) {
    std::copy_n(&roots_[tree], abreast, several.begin());
    go_down(several, row, 0);
    for (const std::int32_t leaf : several) sum += score_at(leaf);
  }
  for (; tree < roots_.size(); ++tree) {
    std::array<std::int32_t, 1> one{roots_[tree]};
    go_down(one, row, 0);
    sum += score_at(one[0]);
  }
  return sum;
}

double TreeEnsemble::predict(std::span<const float> features) const {
  return sum_of_row(written_twice(features, 1).data());
}

// Tree by tree, so that a tree's nodes stay in the nearest cache for all rows.
std::vector<double> TreeEnsemble::predict_rows(std::span<const float> rows) const {
  const std::size_t count = features_ == 0 ? 0 : rows.size() / features_, together = count / abreast * abreast;
  const std::vector<float> places = written_twice(rows, count);
  std::vector<double> sums(count, base_);
  for (const std::int32_t root : roots_)
    for (std::size_t row = 0; row < together; row += abreast) {
      std::array<std::int32_t, abreast> several;
      several.fill(root);
      go_down(several, &places[row * places_of_row()], places_of_row());
      for (std::size_t i = 0; i < abreast; ++i) sums[row + i] += score_at(several[i]);
    }
  for (std::size_t row = together; row < count; ++row) sums[row] = sum_of_row(&places[row * places_of_row()]);
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
      if (seen[from]) refuse_input(fmt::format("{}: a node has two parents; train the predictor again", place));
      seen[from] = true;
      const float value = finite_float(tree.value[from], place);
      TreeEnsemble::Node node{static_cast<std::int32_t>(2 * features), 0, static_cast<std::int32_t>(to), value};
      const std::int64_t left = tree.left[from], right = tree.right[from];
      if (left >= 0 || right >= 0) {
        if (left <= 0 || right <= 0 || left >= count || right >= count || tree.feature[from] < 0 ||
            index(tree.feature[from]) >= features)
          refuse_input(fmt::format("{}: a node names a child or a feature that does not exist", place));
        const std::size_t half = tree.default_left[from] != 0 ? features : 0;
        node = {static_cast<std::int32_t>(half + index(tree.feature[from])), value,
                static_cast<std::int32_t>(ensemble.nodes_.size()), 0};
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
      refuse_input(fmt::format("{}: is not a regression by trees", where));
    ensemble.base_ = base_score_in(learner, where);
    const Json& trees = learner.at("gradient_booster").at("model").at("trees");
    for (std::size_t i = 0; i < trees.size(); ++i) {
      const std::string place = fmt::format("{}: tree {}", where, i);
      add(TreeLists(trees.at(i), place), place);
    }
  } catch (const Json::exception& error) {
    refuse_input(fmt::format("{}: is not a model of XGBoost ({})", where, error.what()));
  }
  return ensemble;
}

}  // namespace takt
