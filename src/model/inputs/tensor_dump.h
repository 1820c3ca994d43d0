// One tensor in a file in MegEngine's form, as `takt run --bin-io-dump` writes it and --input reads it
// (docs/formats.md, "Values of tensors").
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "model/inputs/given_tensor.h"

namespace takt {

/// Can it be written so? Strings cannot, nor more than seven dimensions.
bool fits_dump(const HostTensor& tensor);

/// Throws Error(unsupported) for a tensor that does not fit.
std::string dump_binary(const HostTensor& tensor);

/// The tensor with its name. Throws Error(bad_input) that begins with `where` for anything else: a cut file, bytes left
/// over, an unknown type. Of a tensor without elements no more dimensions are known than its bytes settle.
GivenTensor parse_dump(std::span<const std::byte> file, std::string_view where);

/// Whether a file's name is that of a dump, with its folder: DIR/NNNNNN, or run0-varNNNNNN in any.
bool is_dump_file(std::string_view name);

}  // namespace takt
