#include "report/results/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "report/results/headline.h"
#include "report/results/repeats.h"

namespace takt {
namespace {

constexpr std::size_t least_model = 100, least_block = 8, most_own = 300, most_repeats = 100, row_of_steps = 200,
                      deepest = 24;

using Scope = std::vector<std::string>;

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

/// The pieces of a name between '/' and '.', with numbers at what they count: "layer.3". nullopt: it has one piece only.
std::optional<Scope> scope_of(std::string_view name) {
  Scope scope;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find_first_of("/.", begin), name.size());
    const std::string_view piece = name.substr(begin, end - begin);
    if (!piece.empty() && is_digits(piece) && !scope.empty())
      scope.back() += fmt::format("{}{}", name[begin - 1], piece);
    else if (!piece.empty())
      scope.emplace_back(piece);
    begin = end + 1;
  }
  if (scope.size() < 2 && !name.starts_with('/')) return std::nullopt;
  if (!scope.empty()) scope.pop_back();  // the operator itself
  if (scope.size() > deepest) scope.resize(deepest);
  return scope;
}

Scope common(const Scope& a, const Scope& b) {
  const auto [end, ignored] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return {a.begin(), end};
}

/// Of every step; all empty where fewer than half of the names tell one.
std::vector<Scope> scopes_of(const std::vector<ReportStep>& steps) {
  std::vector<std::optional<Scope>> told;
  for (const ReportStep& step : steps) told.push_back(scope_of(step.name));
  std::vector<Scope> scopes(steps.size());
  const auto count = std::count_if(told.begin(), told.end(), [](const auto& one) { return one && !one->empty(); });
  if (2 * static_cast<std::size_t>(count) < steps.size()) return scopes;
  std::size_t next = 0;  // the first at or after the step whose name tells a scope
  for (std::size_t step = 0; step < steps.size(); ++step) {
    for (next = std::max(next, step); next < told.size() && !told[next];) ++next;
    if (told[step])
      scopes[step] = *told[step];
    else if (step > 0 && next < told.size())
      scopes[step] = common(scopes[step - 1], *told[next]);
  }
  return scopes;
}

/// A block while the blocks are made; the first of them is the whole model.
struct Node {
  std::string name;
  std::map<std::string, std::size_t> inside{};
  std::vector<std::size_t> own{};  ///< steps that are in none of those inside
};

class Tree {
 public:
  explicit Tree(const std::vector<ReportStep>& steps) : steps_(steps) {
    const auto scopes = scopes_of(steps);
    for (std::size_t step = 0; step < steps.size(); ++step) nodes_[node_of(scopes[step])].own.push_back(step);
    dissolve_small(0);
    for (std::size_t node = 0, known = nodes_.size(); node < known; ++node)
      if (nodes_[node].own.size() > most_own) divide(node);
  }

  void put(std::size_t node, std::optional<std::size_t> parent, std::vector<ReportBlock>& blocks,
           std::vector<ReportStep>& steps) const {
    std::vector<std::pair<std::size_t, std::size_t>> order;  // by the first step
    for (const auto& [name, child] : nodes_[node].inside) order.emplace_back(first_of(child), child);
    std::sort(order.begin(), order.end());
    for (const auto& [first, inner] : order) {
      std::size_t child = inner;
      std::string name = nodes_[child].name;
      while (nodes_[child].own.empty() && nodes_[child].inside.size() == 1) {
        child = nodes_[child].inside.begin()->second;
        name += "/" + nodes_[child].name;
      }
      const std::size_t place = blocks.size();
      blocks.push_back({std::move(name), parent, 0, {}});
      for (const std::size_t step : nodes_[child].own) steps[step].block = place;
      put(child, place, blocks, steps);
    }
  }

 private:
  std::size_t node_of(const Scope& scope) {
    std::size_t node = 0;
    for (const std::string& name : scope) node = add(node, name);
    return node;
  }

  std::size_t add(std::size_t parent, const std::string& name) {
    const auto [found, is_new] = nodes_[parent].inside.try_emplace(name, nodes_.size());
    const std::size_t node = found->second;
    if (is_new) nodes_.push_back({name});
    return node;
  }

  std::size_t first_of(std::size_t node) const {
    std::size_t first = nodes_[node].own.empty() ? steps_.size() : nodes_[node].own.front();
    for (const auto& [name, child] : nodes_[node].inside) first = std::min(first, first_of(child));
    return first;
  }

  /// Returns how many steps the node has; of small ones inside it takes them over.
  std::size_t dissolve_small(std::size_t node) {
    std::size_t count = 0;
    const auto inside = nodes_[node].inside;
    for (const auto& [name, child] : inside) {
      const std::size_t steps = dissolve_small(child);
      count += steps;
      if (steps >= least_block) continue;
      auto& own = nodes_[node].own;  // what is inside a small one is smaller, and dissolved before
      own.insert(own.end(), nodes_[child].own.begin(), nodes_[child].own.end());
      count -= steps;
      nodes_[node].inside.erase(name);
    }
    std::sort(nodes_[node].own.begin(), nodes_[node].own.end());
    return count + nodes_[node].own.size();
  }

  /// Gives the steps of a node to blocks inside: pieces that repeat, else rows of steps.
  void divide(std::size_t node) {
    const std::vector<std::size_t> own = std::exchange(nodes_[node].own, {});
    std::map<std::string_view, std::uint32_t> numbers;
    std::vector<std::uint32_t> types;
    for (const std::size_t step : own)
      types.push_back(numbers.try_emplace(steps_[step].type, static_cast<std::uint32_t>(numbers.size())).first->second);
    divide(node, own, types);
  }

  void divide(std::size_t node, std::span<const std::size_t> own, std::span<const std::uint32_t> types) {
    auto repeat = own.size() >= row_of_steps ? longest_repeat(types, least_block) : std::nullopt;
    if (!repeat || 2 * repeat->count * repeat->length < row_of_steps) return add_rows(node, own);
    const std::size_t joined = (repeat->count - 1) / most_repeats + 1;  // so many pieces are a block
    const std::size_t length = repeat->length * joined, count = repeat->count / joined,
                      end = repeat->first + count * length;
    divide(node, own.first(repeat->first), types.first(repeat->first));
    for (std::size_t at = 0; at < count; ++at)
      add_block(node, fmt::format("repeat {}", ++repeats_), own.subspan(repeat->first + at * length, length));
    divide(node, own.subspan(end), types.subspan(end));
  }

  void add_rows(std::size_t node, std::span<const std::size_t> own) {
    auto& left = nodes_[node].own;
    if (own.size() < least_block) left.insert(left.end(), own.begin(), own.end()), own = {};
    for (std::size_t begin = 0; begin < own.size(); begin += row_of_steps) {
      const auto row = own.subspan(begin, std::min(row_of_steps, own.size() - begin));
      add_block(node, fmt::format("operators {} to {}", row.front() + 1, row.back() + 1), row);
    }
  }

  void add_block(std::size_t node, const std::string& name, std::span<const std::size_t> own) {
    nodes_[add(node, name)].own.assign(own.begin(), own.end());
  }

  const std::vector<ReportStep>& steps_;
  std::vector<Node> nodes_{{"", {}, {}}};
  std::size_t repeats_ = 0;
};

/// "layer.#" of "layer.12".
std::string pattern_of(std::string_view name) {
  std::string pattern;
  for (const char letter : name)
    if (const char put = letter >= '0' && letter <= '9' ? '#' : letter; put != '#' || !pattern.ends_with('#'))
      pattern += put;
  return pattern;
}

/// Blocks inside the same one whose names differ by their numbers only, those that take most; empty: no three are alike.
std::vector<const ReportBlock*> alike(const std::vector<ReportBlock>& blocks) {
  std::map<std::pair<std::optional<std::size_t>, std::string>, std::pair<Duration, std::vector<const ReportBlock*>>>
      kinds;
  std::vector<const ReportBlock*> most;
  Duration longest{};
  for (const ReportBlock& block : blocks) {
    const std::string pattern = pattern_of(block.name);
    if (pattern == "operators # to #") continue;  // alike in nothing
    auto& [time, all] = kinds[{block.parent, pattern}];
    time += block.time;
    all.push_back(&block);
    if (all.size() >= 3 && time > longest) longest = time, most = all;
  }
  return most;
}

}  // namespace

std::vector<ReportBlock> blocks_of(std::vector<ReportStep>& steps) {
  std::vector<ReportBlock> blocks;
  if (steps.size() < least_model) return blocks;
  Tree(steps).put(0, std::nullopt, blocks, steps);
  for (const ReportStep& step : steps)
    for (auto block = step.block; block; block = blocks[*block].parent) {
      ++blocks[*block].steps;
      blocks[*block].time += step.time;
    }
  return blocks;
}

std::string blocks_title(const std::vector<ReportBlock>& blocks, const std::vector<ReportStep>& steps) {
  Duration whole{}, sum{};
  for (const ReportStep& step : steps) whole += step.time;
  if (blocks.empty() || whole <= Duration{}) return {};
  const auto shorter = [](const ReportBlock* a, const ReportBlock* b) { return a->time < b->time; };
  std::vector<const ReportBlock*> all = alike(blocks);
  const bool are_alike = !all.empty();
  if (!are_alike)
    for (const ReportBlock& block : blocks) all.push_back(&block);
  const ReportBlock& longest = **std::max_element(all.begin(), all.end(), shorter);
  if (!are_alike)
    return fmt::format("{} takes {:.1f} % of the operators' time", longest.name, 100 * (longest.time / whole));
  for (const ReportBlock* block : all) sum += block->time;
  return fmt::format("{} blocks like {} take {:.1f} % of the operators' time; the longest: {}, {}", all.size(),
                     all.front()->name, 100 * (sum / whole), longest.name, shown_time(longest.time));
}

}  // namespace takt
