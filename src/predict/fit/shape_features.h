// The dimensions of a kernel in the words of what it computes.
#pragma once

#include "predict/fit/kernel_facts.h"
#include "predict/kernels/record.h"

namespace takt {

/// Fills what follows from shapes and attributes alone. What does not apply stays missing.
void add_shape_features(const KernelRecord& record, KernelFacts& facts);

/// How many elements lie side by side before and after the axes of `shape` are put in the order `order` (the identity:
/// all). Axes of one element do not count. Pure; `order` is a permutation of the shape's axes.
std::int64_t run_length_of_transpose(const Shape& shape, const std::vector<std::int64_t>& order);

}  // namespace takt
