// The laws of load of a dataset, and how well they do on models and loads that they have not seen.
#pragma once

#include <vector>

#include "predict/fit/dataset.h"
#include "predict/fit/error_figures.h"
#include "predict/answer/load_law.h"

namespace takt {

/// The share of the kernels' time that goes to memory rather than to computing, by what the machine's peaks allow; 0 to
/// 1. `us`: of each kernel.
double memory_share(std::span<const KernelFacts* const> kernels, std::span<const double> us,
                    const MachineConstants& machine);

struct LoadTraining {
  std::vector<LoadLaw> laws;     ///< of every kind that the dataset has the figures for, the most certain first
  std::vector<ErrorRow> errors;  ///< split "load": model and load both unseen; method "without load": ignoring it
};

/// Of models that were measured beside loads and in quiet; others are left out. `quiet_us`: what each model in quiet is
/// predicted to take by a training without it; NaN: not predicted. Nothing where nothing was measured beside a load.
LoadTraining train_load(const ByLoad& data, const std::vector<double>& quiet_us);

}  // namespace takt
