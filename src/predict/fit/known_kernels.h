// Kernels whose time is known because the same kernel was measured, in a place like this one.
//
// The same kernel takes up to 13 % longer in one model than in another, so a table of kernels that ignores the place
// makes predictions worse, not better. A measured time is taken only where the model is about as large and the input
// about as recently written as it was then.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/fit/kernel_sample.h"

namespace takt {

/// A measured time and the place it holds for.
struct KnownTime {
  double model_weight_bytes = 0, reuse_bytes = 0;  ///< see Feature; reuse 0 where no activation goes in
  double us = 0;
};

/// Prediction is thread-safe.
class KnownKernels {
 public:
  void add(const KernelFacts& facts, double us);
  void add(std::string id, KnownTime time) { times_[std::move(id)].push_back(time); }

  /// The geometric mean of the times that were measured in such a place; nullopt: none was.
  std::optional<double> find(const KernelFacts& facts) const;

  const std::map<std::string, std::vector<KnownTime>, std::less<>>& times() const { return times_; }

 private:
  std::map<std::string, std::vector<KnownTime>, std::less<>> times_;  ///< by id of the record
};

}  // namespace takt
