// The parts that a dataset is divided into, so that each can be predicted by a training without it. Random chains
// (predict/zoo/zoo.h) are trained on by all and predicted by none: nobody wants to know their time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "predict/fit/dataset.h"

namespace takt {

/// What stays together, and so is either trained on or predicted: equal kernels, an architecture, a family of them, or
/// everything but random chains.
enum class Split { kernel, model, family, zoo };
std::string_view name_of(Split split);

/// The part of each kernel of each model, 0 to count − 1, in a split: the same for all that stays together. Fewer parts
/// than asked for where there are not so many architectures or families; without random chains no part of the zoo.
struct Parts {
  int count = 0;
  std::vector<std::vector<int>> of;  ///< by model, by kernel; always_trained_on: in no part
  std::vector<bool> is_predicted;    ///< by model; false: of a random chain

  static constexpr int always_trained_on = -1;
};
Parts parts_of(const Dataset& dataset, Split split, int folds, std::uint64_t seed);

/// All of the dataset but one part; models without a kernel left are left out.
Dataset without_part(const Dataset& dataset, const Parts& parts, int part);

}  // namespace takt
