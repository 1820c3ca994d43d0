// NumPy's .npy files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "model/inputs/given_tensor.h"

namespace takt {

/// Reads a file of format version 1.0, 2.0 or 3.0 with float16, 32 and 64, all integers, bool, and text (S and U), in
/// either byte order, in C or Fortran order. Throws Error(bad_input) that begins with `where` for anything else: a
/// truncated file, bytes left over, a header that is none, more than largest_tensor_bytes.
GivenTensor parse_npy(std::span<const std::byte> file, std::string_view where);

/// The bytes of a file (version 1.0) with these values. Throws Error(unsupported) for elements that NumPy does not
/// have, and strings.
std::string npy_file(const HostTensor& tensor);

}  // namespace takt
