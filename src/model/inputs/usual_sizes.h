// What users have for a dimension that a model leaves open and no operator demands: by its name, by its input, by its
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/graph/graph.h"
#include "model/runtime/runtime.h"

namespace takt {

/// The size of dimension `index` of `input`, which is open. 1 is a batch; pictures are 224 × 224 with three channels
/// behind them where `channels_last` says so, before them elsewhere; sound lasts a second; texts have 16 words.
std::int64_t usual_size(const Port& input, std::size_t index, bool channels_last);

/// Sizes to try instead, the likeliest first: the neutral one, frames of speech, widths of layers, lengths of texts and
/// of sounds. Positive, without repeats.
std::span<const std::int64_t> other_sizes();

/// Whether `input`'s pictures have their channels last: three or four of them stand there, or the model's first step
/// brings them to the front, or all is open and the type is that of decoded pictures. `graph` may be null.
bool has_channels_last(const Graph* graph, const Port& input);

}  // namespace takt
