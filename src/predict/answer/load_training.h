// The laws of load of a dataset, and how well they do on models and loads that they have not seen.
#pragma once

#include <vector>

#include "predict/answer/load_law.h"
#include "predict/fit/dataset.h"
#include "predict/fit/error_figures.h"

namespace takt {

/// The share of the kernels' time that goes to memory rather than to computing, by what the machine's peaks allow; 0 to
/// 1. `us`: of each kernel.
double memory_share(std::span<const KernelFacts* const> kernels, std::span<const double> us,
                    const MachineConstants& machine);

struct LoadTraining {
  std::vector<LoadLaw> laws;     ///< of every kind that the dataset has the figures for, the most certain first
  std::vector<ErrorRow> errors;  ///< split "load": model and load both unseen; method "without load": ignoring it
};

/// Trains on models that were measured both under load and idle; others are left out. `quiet_us`: predicted idle time of
/// each model by a training without it; NaN: not predicted. Returns nothing if nothing was measured under load.
LoadTraining train_load(const ByLoad& data, const std::vector<double>& quiet_us);

}  // namespace takt
