// Portable pixmaps and greymaps, .ppm and .pgm.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "model/inputs/given_tensor.h"

namespace takt {

/// Reads P2, P3 (decimal text), P5 and P6 (bytes): uint8, or uint16 for a maximum above 255, of shape
/// {1,height,width,1 or 3}; values as they are, nothing is scaled. Throws Error(bad_input) that begins with `where` for
/// other formats, a header that is none, samples that are missing, left over or above the maximum.
GivenTensor parse_netpbm(std::span<const std::byte> file, std::string_view where);

}  // namespace takt
