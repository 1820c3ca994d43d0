// Numbers out of a tensor's bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/runtime/runtime.h"

namespace takt {

/// How many elements `tensor` holds.
std::size_t count_of(const HostTensor& tensor);

/// Element `index` in row-major order, of any floating-point (16 to 64 bits), integer or boolean type; nullopt for
/// other types.
std::optional<double> value_at(const HostTensor& tensor, std::size_t index);

bool is_float(ElementType type);  ///< a type whose elements may be NaN or infinite

/// "{0,2,1}" of element `index`.
std::string index_text(const Shape& shape, std::size_t index);

}  // namespace takt
