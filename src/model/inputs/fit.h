// Given values made to fit an input of the model, where nothing has to be guessed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/inputs/given_tensor.h"

namespace takt {

/// Values that a user gave for one input.
struct GivenInput {
  GivenTensor value;
  std::string where;   ///< for messages: "cat.npy", "--input 'x:1,2'"
  std::string origin;  ///< for a report: "values of cat.npy"
};

/// Changes the shape of `given` to one that `port` accepts. A fitting shape stays; an image is turned to channels first
/// where only that fits; dimensions of 1 are added or dropped in front, and values of another rank take a fixed shape
/// of the same number of elements: each with a note. Dimension 0 may be repeated later, so with `batch` it need not
/// fit. Throws Error(bad_input) naming the shape that is wanted.
void fit_shape(GivenInput& given, const Port& port, std::optional<std::int64_t> batch, std::vector<std::string>& notes);

/// Repeats `tensor` along dimension 0 until it has `batch` rows. Throws Error(bad_input) when that is no multiple.
void repeat_rows(HostTensor& tensor, std::int64_t batch, const std::string& where);

}  // namespace takt
