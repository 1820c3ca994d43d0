// How finely a model and the units that run it compute, and what it does to the numbers.
//
// Nobody can say beforehand how far two right answers are apart: it depends on the model how much of a rounding is left
// at its end. So it is tried: the model runs again with its values changed by as much as rounding changes them.
#pragma once

#include <string_view>

#include "base/statistics/random.h"
#include "model/graph/graph.h"
#include "model/inputs/tensor_distance.h"
#include "model/runtime/runtime.h"

namespace takt {

/// From fine to coarse.
enum class Coarseness {
  float32,
  half,   ///< float16
  brain,  ///< bfloat16
  step,   ///< quantised: 8 bits for the range of a tensor
};

/// "by a millionth", …: what rounded_otherwise() does to a value.
std::string_view words_for(Coarseness rounding);

/// The coarsest that the model itself says: of its tensors' types, bodies included, and of its quantising operators.
Coarseness coarseness_of(const Graph& graph);
/// Returns the coarseness of the type in which a unit computes.
Coarseness coarseness_of(ElementType type);

/// Integers of a model that is quantised are rounded numbers.
inline Integers integers_of(Coarseness rounding) {
  return rounding == Coarseness::step ? Integers::rounded : Integers::exact;
}

/// The value with each number that is not 0 changed by up to some roundings, never beyond 0: float32 by up to a
/// millionth, halves by two units of theirs, 8-bit integers of quantised models by one. Other values as they are.
SharedTensor rounded_otherwise(const SharedTensor& value, Coarseness rounding, Random& random);

}  // namespace takt
