// What others predict kernels with, fitted to the same samples: the figures that takt's own have to beat.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "predict/fit/kernel_sample.h"
#include "predict/fit/tree_ensemble.h"

namespace takt {

/// Time = a + b·FLOPs for each kind of kernel, by least squares of the relative error; of bytes where FLOPs are none.
class FlopsLaw {
 public:
  explicit FlopsLaw(std::span<const KernelSample> samples);
  double predict_us(const KernelFacts& facts) const;  ///< kinds that were never seen: the law of all together

 private:
  struct Line {
    double fixed_us = 0, us_per_unit = 0;
  };
  static Line fit(const std::vector<const KernelSample*>& samples);
  std::map<std::string, Line> lines_;  ///< by op_type
  Line all_;
};

/// Time = c · roofline, with the one c that is right in the middle of all samples.
class ScaledRoofline {
 public:
  ScaledRoofline(std::span<const KernelSample> samples, const MachineConstants& machine);
  double predict_us(const KernelFacts& facts) const;

 private:
  MachineConstants machine_;
  double fixed_us_ = 0, scale_ = 1;
};

/// The recipe that is usual for such predictors (nn-Meter, MobiSys 2021): a random forest on milliseconds, its features
/// the kind of kernel one by one and the raw dimensions of its tensors.
class RawForest {
 public:
  /// Throws as train_trees().
  RawForest(std::span<const KernelSample> samples, int trees, std::uint64_t seed);
  double predict_us(const KernelFacts& facts) const;

 private:
  std::vector<float> row(const KernelFacts& facts) const;
  std::vector<std::string> kinds_;  ///< sorted
  double least_us_ = 0;
  TreeEnsemble forest_;
};

}  // namespace takt
