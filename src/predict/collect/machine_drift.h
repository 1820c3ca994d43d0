// How many times as long as usual everything took during a measurement, from its canary.
//
// Idea: a model that was measured in several rounds tells by itself how its time follows the canary's computing and
// reading; all models together tell it well. A time divided by its pace is the time at the machine's usual pace, the
// median of the collection, and what differs from round to round afterwards is noise that nobody can explain.
#pragma once

#include <span>

#include "predict/collect/record.h"

namespace takt {

class MachineDrift {
 public:
  /// From measured records without a load: the logarithm of a model's time over that of its other rounds is a sum of
  /// the canary's, each with a weight, by least squares that are drawn to a half each. Without two rounds of a model
  /// the weights are that.
  static MachineDrift of_records(std::span<const CollectRecord> records);

  /// 1 without a canary, and beside a load, where it is the load that is measured.
  double of(const CollectRecord& record) const;
  double compute_weight() const { return compute_weight_; }
  double memory_weight() const { return memory_weight_; }

 private:
  CanaryTimes usual_;  ///< 0: there was no canary
  double compute_weight_ = 0.5, memory_weight_ = 0.5;
};

}  // namespace takt
