// The regression that takt predicts kernels with: how many times as long as the roofline allows does a kernel take.
//
// Per group of kernels (convolutions, depthwise ones, products, pooling, the rest) an ensemble of boosted trees learns
// the logarithm of that ratio. (A forest was as good on nothing that either had not seen, and a fifth of it in a mean
// with boosting made all of three datasets worse.) Which operators a kernel is made of are yes-or-no features
// word by word, so Conv_Add_Relu shares what Conv and Conv_Relu have shown.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/fit/kernel_sample.h"
#include "predict/fit/tree_ensemble.h"
#include "predict/fit/tree_training.h"

namespace takt {

/// A feature as the regression gets it, with the values that it was trained on.
struct TrainedFeature {
  std::string name, unit, type;    ///< type: "real", "integer" or "yes/no"
  std::optional<float> low, high;  ///< missing: no kernel has it
};

struct RatioEstimate {
  double us = 0;
  bool is_beyond = false;  ///< a feature of the work lies outside of what was trained on
};

/// What another machine makes of a group's estimates, added to their logarithm (calibration.h).
struct RatioCorrection {
  double constant = 0, by_compute = 0, by_size = 0;  ///< the last two times correction_features()
};

/// Immutable once trained, calibrated or read; prediction is thread-safe.
class RatioTrees {
 public:
  RatioTrees() = default;
  RatioTrees(MachineConstants machine, double fixed_us) : machine_(machine), fixed_us_(fixed_us) {}

  /// Groups with fewer than `least_rows` kernels are left out. Throws as train_trees().
  static RatioTrees train(std::span<const KernelSample> samples, const MachineConstants& machine,
                          const TreeSettings& settings);
  static constexpr std::size_t least_rows = 8;

  /// nullopt: nobody has seen a kernel of this group, the operator that it begins with, numbers of its size, or (of
  /// convolutions) tensors of as many dimensions.
  std::optional<RatioEstimate> estimate(const KernelFacts& facts) const;
  /// The same of each of them, and several times as fast.
  std::vector<std::optional<RatioEstimate>> estimates(std::span<const KernelFacts* const> kernels) const;
  /// What the trees of the kernel's group are told; the group has been trained.
  std::vector<float> features_of(const KernelFacts& facts) const { return row(groups_.at(facts.group), facts); }
  double roofline(const KernelFacts& facts) const { return roofline_us(facts, machine_, fixed_us_); }

  /// From now on the estimates are for a machine of these peaks, without corrections.
  void move_to(const MachineConstants& machine, double fixed_us);
  void correct(KernelGroup group, const RatioCorrection& correction) { corrections_[group] = correction; }
  const std::map<KernelGroup, RatioCorrection>& corrections() const { return corrections_; }
  /// The share of computing, less a half, and the logarithm of the roofline over 100 us.
  std::pair<double, double> correction_features(const KernelFacts& facts) const;

  const MachineConstants& machine() const { return machine_; }
  double fixed_us() const { return fixed_us_; }

  struct Group {
    std::vector<std::string> words;        ///< operators that were seen in it, sorted
    std::vector<std::string> bases;        ///< those that a name begins with
    std::vector<TrainedFeature> features;  ///< in the order of the columns
    std::size_t rows = 0;
    std::string trees_json;  ///< as XGBoost writes them; empty: read from packed trees
    TreeEnsemble trees;
  };
  const std::map<KernelGroup, Group>& groups() const { return groups_; }
  /// The features of a group with these operators, in the order of the columns, as they are before any training.
  static std::vector<TrainedFeature> features_for(KernelGroup kind, const std::vector<std::string>& words);
  /// For readers of files: `group` has its text, of XGBoost or packed (packed_trees.h), and the ensemble is read from
  /// it. Throws as parse_trees().
  void add(KernelGroup kind, Group group, std::string_view where);

 private:
  double corrected_by(const KernelFacts& facts) const;
  const Group* group_of(const KernelFacts& facts) const;
  std::vector<float> row(const Group& group, const KernelFacts& facts) const;
  static Group described(KernelGroup kind, std::span<const KernelSample* const> samples);

  MachineConstants machine_;
  double fixed_us_ = 0;
  std::map<KernelGroup, Group> groups_;
  std::map<KernelGroup, RatioCorrection> corrections_;
};

}  // namespace takt
