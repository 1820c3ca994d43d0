// Inputs in a JSON file.
#pragma once

#include <string_view>
#include <vector>

#include "base/files/padded_text.h"
#include "model/inputs/given_tensor.h"

namespace takt {

/// Reads {"NAME": VALUE, …}, or one VALUE alone (its tensor's name is then empty). A VALUE is {"shape": [2,3], "type":
/// "float32", "raw": [numbers]}, of which shape and type may be left out, or a list of lists, a number, a boolean, a
/// string. Without type a value counts as written by hand. Throws Error(bad_input) that begins with `where`.
std::vector<GivenTensor> parse_input_json(const PaddedText& file, std::string_view where);

}  // namespace takt
