// What one regression is fitted to: kernels with their measured times.
#pragma once

#include <vector>

#include "predict/fit/dataset.h"

namespace takt {

/// Refers to a dataset, which must outlive it.
struct KernelSample {
  const KernelFacts* facts = nullptr;
  double us = 0;      ///< measured mean in the model
  double weight = 1;  ///< how much it counts, by its share of its model's time
};

/// `kernel` of `model`. A kernel that takes its part of the model's time or more counts for up to three, one that takes
/// next to nothing for a tenth: in a model's sum an error counts as much as the kernel takes.
KernelSample sample_of(const CollectedModel& model, const CollectedKernel& kernel);

/// A share of the shortest times; the floor under the roofline, which small kernels would otherwise divide by.
/// `samples` is not empty.
double least_time_us(const std::vector<KernelSample>& samples);

}  // namespace takt
