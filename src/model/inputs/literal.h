// Values written on the command line: 5, 1,2,3, [[1,2],[3,4]], true, "text".
#pragma once

#include <string_view>

#include "model/inputs/given_tensor.h"

namespace takt {

/// Reads values separated by commas, lists in brackets; the shape is NumPy's ({} for one value, {3} for 1,2,3). In a
/// string \" \\ \n \t stand for what they do in C. Throws Error(bad_input) that begins with `where`.
GivenTensor parse_literal(std::string_view text, std::string_view where);

}  // namespace takt
