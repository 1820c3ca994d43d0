// Values of one element type as values of another, or a sentence why that loses something.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/runtime/runtime.h"

namespace takt {

enum class Rounding {
  none,     ///< every value must be the same number in both types
  decimal,  ///< float64 stands for decimal digits: the nearest number of a float type is what they mean there
  nearest,  ///< a float type holds every number as its nearest, beyond its range as infinity
};

/// The element types that values can be given in: floats of 16 to 64 bits, integers of 8 to 64, bool, string.
std::span<const ElementType> givable_types();
std::string givable_type_names();  ///< separated by commas, for messages

/// true is 1; 0 and 1 are booleans, other numbers are not; strings are no numbers. Throws Error(bad_input) that begins
/// with `where` and names the first value that `type` does not hold, Error(unsupported) for a type not in
/// givable_types(). The tensor is given back as it is when its type is `type` already.
HostTensor convert(HostTensor tensor, ElementType type, Rounding rounding, std::string_view where);

}  // namespace takt
