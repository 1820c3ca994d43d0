#include "predict/fit/ratio_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>

#include "predict/fit/packed_trees.h"

namespace takt {
namespace {

constexpr float no_value = std::numeric_limits<float>::quiet_NaN();
constexpr double beyond_factor = 1.5;  // of work; trees hold the last value that far out without much harm

double bytes_in(const KernelFacts& facts) {
  return facts[Feature::input_bytes] + facts[Feature::output_bytes] + facts[Feature::weight_bytes];
}

bool is_convolution(KernelGroup kind) { return kind == KernelGroup::conv || kind == KernelGroup::depthwise; }

/// Features that follow from others; trees would need many steps to find them.
std::vector<TrainedFeature> derived_features(KernelGroup kind) {
  std::vector<TrainedFeature> features{{"intensity", "FLOP/byte", "real", {}, {}},
                                       {"roofline_us", "us", "real", {}, {}},
                                       {"compute_share", "1", "real", {}, {}},
                                       {"nchwc", "1", "yes/no", {}, {}},
                                       {"nhwc", "1", "yes/no", {}, {}}};
  if (is_convolution(kind))
    features.insert(features.end(), {{"fill_of_8", "1", "real", {}, {}},
                                     {"fill_of_16", "1", "real", {}, {}},
                                     {"rest_of_6", "1", "integer", {}, {}},
                                     {"border", "1", "real", {}, {}},
                                     {"rows_read_bytes", "bytes", "real", {}, {}}});
  return features;
}

/// How well a convolution fits the loops that vector units run. They compute eight or sixteen channels and six
/// places of a row at once; what is left over takes as long as a whole one. Places at the border are computed one by
/// one. The rows that a window reads stay in the nearest cache, or do not.
std::array<float, 5> fit_of_loops(const KernelFacts& facts) {
  std::array<float, 5> fit;
  fit.fill(no_value);
  // Groups of several channels are computed one by one, those of one channel together.
  const double of_group = facts[Feature::columns], width = facts[Feature::width_out];
  const double channels = of_group > 1 ? of_group : facts[Feature::channels_out];
  if (!(channels >= 1) || !(width >= 1)) return fit;
  const auto fill_of = [&](double block) {
    return static_cast<float>(channels / (std::ceil(channels / block) * block));
  };
  fit[0] = fill_of(8), fit[1] = fill_of(16);
  fit[2] = static_cast<float>(std::fmod(width, 6));
  // Padding is the sum of four sides, and stride that of two directions multiplied.
  const double outside = facts[Feature::padding] / 2 / std::sqrt(facts[Feature::stride]) / width;
  if (!std::isnan(outside)) fit[3] = static_cast<float>(1 - std::pow(1 - std::clamp(outside, 0.0, 1.0), 2));
  fit[4] = static_cast<float>(facts[Feature::window_height] * facts[Feature::width_in] * facts[Feature::channels_in] /
                              std::max(1.0, facts[Feature::groups]) * sizeof(float));
  return fit;
}

void widen(TrainedFeature& feature, float value) {
  if (std::isnan(value)) return;
  feature.low = feature.low ? std::min(*feature.low, value) : value;
  feature.high = feature.high ? std::max(*feature.high, value) : value;
}

bool contains(const std::vector<std::string>& sorted, const std::string& word) {
  return std::binary_search(sorted.begin(), sorted.end(), word);
}

/// Whether the amount of work, or the window that it is done in, is far from everything that was seen.
bool lies_beyond(const RatioTrees::Group& group, const std::vector<float>& row) {
  for (const Feature feature : {Feature::flops, Feature::input_bytes, Feature::output_bytes, Feature::weight_bytes,
                                Feature::window_height, Feature::window_width}) {
    const auto place = static_cast<std::size_t>(feature);
    const TrainedFeature& trained = group.features[place];
    if (std::isnan(row[place]) || !trained.high) continue;
    const double value = static_cast<double>(row[place]);
    if (value > static_cast<double>(*trained.high) * beyond_factor) return true;
    if (value < static_cast<double>(*trained.low) / beyond_factor) return true;
  }
  return false;
}

/// Whether the group has never seen numbers of this size, or pictures of this many dimensions. Runtimes compute them by
/// other code (an int8 convolution takes a third of a float one), so nothing that was seen says anything of them.
bool is_of_unseen_kind(const RatioTrees::Group& group, const KernelFacts& facts) {
  const auto trained = [&](Feature feature) -> const TrainedFeature& {
    return group.features[static_cast<std::size_t>(feature)];
  };
  const TrainedFeature& bits = trained(Feature::element_bits);
  const double own = facts[Feature::element_bits];
  if (bits.high && !std::isnan(own) && (own > static_cast<double>(*bits.high) || own < static_cast<double>(*bits.low)))
    return true;
  const bool has_picture = !std::isnan(facts[Feature::height_in]);
  return is_convolution(facts.group) && !has_picture && trained(Feature::height_in).high.has_value();
}

/// Rows of features, each once: a transformer's layers are one layer many times.
class DistinctRows {
 public:
  DistinctRows(std::size_t most, std::size_t features) { values_.reserve(most * features); }

  /// Its number among the distinct ones. The same is what has the same bits.
  std::size_t add(const std::vector<float>& row) {
    const auto bits = [](const float* begin, std::size_t count) {
      return std::string_view(reinterpret_cast<const char*>(begin), count * sizeof(float));
    };
    const auto known = numbers_.find(bits(row.data(), row.size()));
    if (known != numbers_.end()) return known->second;
    const std::size_t begin = values_.size(), number = numbers_.size();
    values_.insert(values_.end(), row.begin(), row.end());
    numbers_.emplace(bits(values_.data() + begin, row.size()), number);
    return number;
  }
  const std::vector<float>& values() const { return values_; }

 private:
  std::vector<float> values_;                                  // reserved: does not move
  std::unordered_map<std::string_view, std::size_t> numbers_;  // of bits in values_
};

}  // namespace

RatioTrees::Group RatioTrees::described(KernelGroup kind, std::span<const KernelSample* const> samples) {
  std::set<std::string> words, bases;
  for (const KernelSample* sample : samples) {
    const auto of_kernel = words_of(sample->facts->op_type);
    words.insert(of_kernel.begin(), of_kernel.end());
    if (!of_kernel.empty()) bases.insert(of_kernel.front());
  }
  Group group;
  group.words.assign(words.begin(), words.end());
  group.bases.assign(bases.begin(), bases.end());
  group.rows = samples.size();
  group.features = features_for(kind, group.words);
  return group;
}

std::vector<TrainedFeature> RatioTrees::features_for(KernelGroup kind, const std::vector<std::string>& words) {
  std::vector<TrainedFeature> features;
  for (const FeatureText& text : feature_texts())
    features.push_back(
        {std::string(text.name), std::string(text.unit), text.name == "broadcast" ? "real" : "integer", {}, {}});
  for (TrainedFeature& feature : derived_features(kind)) features.push_back(std::move(feature));
  for (const std::string& word : words) features.push_back({"is_" + word, "1", "yes/no", {}, {}});
  return features;
}

std::vector<float> RatioTrees::row(const Group& group, const KernelFacts& facts) const {
  std::vector<float> row;
  row.reserve(group.features.size());
  for (const double value : facts.features) row.push_back(static_cast<float>(value));
  const double flops = facts[Feature::flops], bytes = bytes_in(facts), roof = roofline(facts);
  row.push_back(bytes > 0 ? static_cast<float>(flops / bytes) : no_value);
  row.push_back(static_cast<float>(roof));
  row.push_back(static_cast<float>(flops / machine_.flops_per_s * 1e6 / roof));
  row.push_back(facts.layout == "nchwc" ? 1.0f : 0.0f);
  row.push_back(facts.layout == "nhwc" ? 1.0f : 0.0f);
  if (is_convolution(facts.group))
    for (const float value : fit_of_loops(facts)) row.push_back(value);
  const std::size_t first = row.size();
  row.resize(group.features.size(), 0.0f);
  for (const std::string& word : words_of(facts.op_type)) {
    const auto found = std::lower_bound(group.words.begin(), group.words.end(), word);
    if (found != group.words.end() && *found == word)
      row[first + static_cast<std::size_t>(found - group.words.begin())] = 1.0f;
  }
  return row;
}

RatioTrees RatioTrees::train(std::span<const KernelSample> samples, const MachineConstants& machine,
                             const TreeSettings& settings) {
  RatioTrees trees(machine, least_time_us({samples.begin(), samples.end()}));
  std::map<KernelGroup, std::vector<const KernelSample*>> by_group;
  for (const KernelSample& sample : samples) by_group[sample.facts->group].push_back(&sample);
  for (const auto& entry : by_group) {
    const auto& members = entry.second;
    if (members.size() < least_rows) continue;
    Group group = described(entry.first, members);
    FeatureMatrix matrix{group.features.size(), {}};
    std::vector<float> targets, weights;
    for (const KernelSample* sample : members) {
      const auto row = trees.row(group, *sample->facts);
      for (std::size_t i = 0; i < row.size(); ++i) widen(group.features[i], row[i]);
      matrix.values.insert(matrix.values.end(), row.begin(), row.end());
      targets.push_back(static_cast<float>(std::log(sample->us / trees.roofline(*sample->facts))));
      weights.push_back(static_cast<float>(sample->weight));
    }
    group.trees_json = train_trees(matrix, targets, weights, settings);
    trees.add(entry.first, std::move(group), fmt::format("trees of {}", name_of(entry.first)));
  }
  return trees;
}

void RatioTrees::add(KernelGroup kind, Group group, std::string_view where) {
  const bool is_packed = are_packed_trees(group.trees_json);
  group.trees = (is_packed ? unpacked_trees : parse_trees)(group.trees_json, where, group.features.size());
  if (is_packed) group.trees_json.clear();
  groups_.insert_or_assign(kind, std::move(group));
}

void RatioTrees::move_to(const MachineConstants& machine, double fixed_us) {
  machine_ = machine, fixed_us_ = fixed_us;
  corrections_.clear();
}

std::pair<double, double> RatioTrees::correction_features(const KernelFacts& facts) const {
  const double flops = std::isnan(facts[Feature::flops]) ? 0 : facts[Feature::flops], roof = roofline(facts);
  return {flops / machine_.flops_per_s * 1e6 / roof - 0.5, std::log(roof / 100)};
}

double RatioTrees::corrected_by(const KernelFacts& facts) const {
  const auto found = corrections_.find(facts.group);
  if (found == corrections_.end()) return 1;
  const auto [compute, size] = correction_features(facts);
  return std::exp(found->second.constant + found->second.by_compute * compute + found->second.by_size * size);
}

const RatioTrees::Group* RatioTrees::group_of(const KernelFacts& facts) const {
  const auto found = groups_.find(facts.group);
  const auto words = words_of(facts.op_type);
  const bool is_known = found != groups_.end() && !words.empty() && contains(found->second.bases, words.front());
  return is_known && !is_of_unseen_kind(found->second, facts) ? &found->second : nullptr;
}

std::optional<RatioEstimate> RatioTrees::estimate(const KernelFacts& facts) const {
  const KernelFacts* const one = &facts;
  return estimates(std::span(&one, 1)).front();
}

std::vector<std::optional<RatioEstimate>> RatioTrees::estimates(std::span<const KernelFacts* const> kernels) const {
  std::vector<std::optional<RatioEstimate>> all(kernels.size());
  std::map<const Group*, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    if (const Group* group = group_of(*kernels[i])) members[group].push_back(i);
  for (const auto& [group, places] : members) {
    DistinctRows rows(places.size(), group->features.size());
    std::vector<std::size_t> row_of;
    for (const std::size_t place : places) {
      const auto values = row(*group, *kernels[place]);
      all[place] = RatioEstimate{0, lies_beyond(*group, values)};
      row_of.push_back(rows.add(values));
    }
    const auto logarithms = group->trees.predict_rows(rows.values());
    for (std::size_t i = 0; i < places.size(); ++i) {
      const double roof = roofline(*kernels[places[i]]) * corrected_by(*kernels[places[i]]);
      all[places[i]]->us = roof * std::exp(logarithms[row_of[i]]);
    }
  }
  return all;
}

}  // namespace takt
