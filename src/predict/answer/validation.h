// How well a way of predicting does on kernels, architectures and families that it was not trained on.
//
// Random splits flatter: the same convolution stands in many models, and a table of times would pass. So three splits
// are told apart: new kernels in known models, new architectures, new families; every baseline goes through the same
// ones. Intervals of a part are made from errors on the other parts, so that their coverage is honest as well.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "predict/answer/predictor.h"
#include "predict/fit/dataset_parts.h"

namespace takt {

struct ValidationSettings {
  TreeSettings trees;
  int forest_trees = 50;  ///< of the forests among the other methods
  int folds = 10;         ///< parts of the splits by kernel and model; families have a part each
  bool baselines = true;  ///< the other methods as well
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

/// The widths that a predictor needs, and the table of errors.
struct Validation {
  std::vector<ErrorRow> errors;
  double measured_width = 0, model_width = 0;  ///< from the split by model
  std::map<KernelGroup, double> kernel_width;
  bool is_width_certain = false;
  std::vector<double> unseen_us;  ///< of each model, by a training without its architecture; NaN: of a random chain
};

/// Splits that leave nothing to train on (one family) are left out. Throws as train_trees(), Error(bad_input) for a
/// dataset of one architecture, Error(runtime) when stopped.
Validation validate(const Dataset& dataset, const ValidationSettings& settings);

}  // namespace takt
