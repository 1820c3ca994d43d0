#include "predict/fit/packed_trees.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/index.h"

namespace takt {
namespace {

static_assert(std::endian::native == std::endian::little);
constexpr std::string_view magic = "takt trees 1\n";

template <typename Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Numbers from the front of some bytes.
class PackedReader {
 public:
  PackedReader(std::string_view bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  template <typename Number>
  Number number() {
    std::vector<Number> one = numbers<Number>(1);
    return one.front();
  }
  template <typename Number>
  std::vector<Number> numbers(std::size_t count) {
    if (count > bytes_.size() / sizeof(Number)) refuse("ends too early");
    std::vector<Number> list(count);
    if (count > 0) std::memcpy(list.data(), bytes_.data(), count * sizeof(Number));
    bytes_.remove_prefix(count * sizeof(Number));
    return list;
  }
  bool is_at_end() const { return bytes_.empty(); }
  [[noreturn]] void refuse(std::string_view what) const {
    refuse_input(fmt::format("{}: {}; train the predictor again", where_, what));
  }

 private:
  std::string_view bytes_, where_;
};

/// Columns of XGBoost's lists.
struct JsonTree {
  nlohmann::json left = nlohmann::json::array(), right = left, feature = left, default_left = left, value = left;

  nlohmann::json whole() const {
    return {{"left_children", left},
            {"right_children", right},
            {"split_indices", feature},
            {"default_left", default_left},
            {"split_conditions", value}};
  }
};

}  // namespace

/// Where the nodes of a TreeEnsemble are.
class TreeNodes {
 public:
  explicit TreeNodes(TreeEnsemble& trees) : trees_(trees), leaf_(2 * trees.features_) {}

  std::string packed() const {
    std::string bytes(magic), places, numbers;
    append(bytes, static_cast<std::uint32_t>(trees_.roots_.size()));
    append(bytes, static_cast<std::uint32_t>(trees_.nodes_.size()));
    append(bytes, trees_.base_);
    for (const std::int32_t root : trees_.roots_)
      for (const std::int32_t at : below(root)) {
        const auto& node = trees_.nodes_[index(at)];
        append(places, static_cast<std::uint16_t>(node.place));
        append(numbers, index(node.place) == leaf_ ? node.score : node.limit);
      }
    return bytes + places + numbers;
  }

  void read(PackedReader reader) {
    const auto trees = reader.number<std::uint32_t>(), nodes = reader.number<std::uint32_t>();
    trees_.base_ = reader.number<double>();
    const auto places = reader.numbers<std::uint16_t>(nodes);
    const auto numbers = reader.numbers<float>(nodes);
    if (!reader.is_at_end() || !std::isfinite(trees_.base_) || trees > nodes) reader.refuse("is no file of trees");
    std::size_t at = 0;
    for (std::uint32_t tree = 0; tree < trees; ++tree) read_tree(reader, places, numbers, at);
    if (at != nodes) reader.refuse("has nodes of no tree");
  }

  nlohmann::json tree(std::int32_t root) const {
    JsonTree json;
    const std::vector<std::int32_t> order = below(root);
    std::map<std::int32_t, std::size_t> number;
    for (const std::int32_t at : order) number.emplace(at, number.size());
    for (const std::int32_t at : order) {
      const auto& node = trees_.nodes_[index(at)];
      const bool is_leaf = index(node.place) == leaf_, is_left = index(node.place) >= trees_.features_;
      const auto child = [&](std::int32_t one) { return is_leaf ? -1 : static_cast<std::int64_t>(number.at(one)); };
      json.left.push_back(child(node.left)), json.right.push_back(child(node.left + 1));
      json.feature.push_back(is_leaf ? 0 : index(node.place) % trees_.features_);
      json.default_left.push_back(is_leaf || !is_left ? 0 : 1);
      json.value.push_back(is_leaf ? node.score : node.limit);
    }
    return json.whole();
  }

  nlohmann::json all() const {
    nlohmann::json list = nlohmann::json::array();
    for (const std::int32_t root : trees_.roots_) list.push_back(tree(root));
    return list;
  }

  std::string base() const { return fmt::format("{}", trees_.base_); }

 private:
  /// A tree's nodes, each before its left and its right children.
  std::vector<std::int32_t> below(std::int32_t root) const {
    std::vector<std::int32_t> order, waiting{root};
    while (!waiting.empty()) {
      const std::int32_t at = waiting.back();
      waiting.pop_back(), order.push_back(at);
      const auto& node = trees_.nodes_[index(at)];
      if (index(node.place) != leaf_) waiting.push_back(node.left + 1), waiting.push_back(node.left);
    }
    return order;
  }

  void read_tree(const PackedReader& reader, const std::vector<std::uint16_t>& places,
                 const std::vector<float>& numbers, std::size_t& at) {
    auto& nodes = trees_.nodes_;
    std::vector<std::size_t> waiting{nodes.size()};
    trees_.roots_.push_back(static_cast<std::int32_t>(nodes.size()));
    nodes.emplace_back();
    for (; !waiting.empty(); ++at) {
      const std::size_t to = waiting.back();
      waiting.pop_back();
      if (at == places.size() || places[at] > leaf_ || !std::isfinite(numbers[at]))
        reader.refuse("has a node of no tree");
      const auto place = static_cast<std::int32_t>(places[at]);
      if (places[at] == leaf_) {
        nodes[to] = {place, 0, static_cast<std::int32_t>(to), numbers[at]};
        continue;
      }
      const std::size_t left = nodes.size();
      nodes[to] = {place, numbers[at], static_cast<std::int32_t>(left), 0};
      nodes.resize(left + 2);
      waiting.push_back(left + 1), waiting.push_back(left);
    }
  }

  TreeEnsemble& trees_;
  std::size_t leaf_;
};

std::string packed_trees(const TreeEnsemble& trees) {
  TreeEnsemble copy = trees;
  return TreeNodes(copy).packed();
}

bool are_packed_trees(std::string_view text) { return text.starts_with(magic); }

TreeEnsemble unpacked_trees(std::string_view packed, std::string_view where, std::size_t features) {
  TreeEnsemble trees(features);
  if (!are_packed_trees(packed)) refuse_input(fmt::format("{}: is no file of trees", where));
  TreeNodes(trees).read(PackedReader(packed.substr(magic.size()), where));
  return trees;
}

std::string trees_json(const TreeEnsemble& trees) {
  TreeEnsemble copy = trees;
  const TreeNodes nodes(copy);
  const nlohmann::json learner{{"objective", {{"name", "reg:squarederror"}}},
                               {"learner_model_param", {{"base_score", nodes.base()}}},
                               {"gradient_booster", {{"name", "gbtree"}, {"model", {{"trees", nodes.all()}}}}}};
  return nlohmann::json{{"learner", learner}}.dump();
}

}  // namespace takt
