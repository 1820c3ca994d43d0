// Values that nobody gave: of inputs, and of the outputs of simulated devices.
#pragma once

#include <cstdint>

#include "model/runtime/runtime.h"

namespace takt {

/// Every type that is known.
bool can_generate(ElementType type);

/// Valid pseudo-random values: floats uniform in [-1, 1), integers 0 or 1 (valid as index, mask and length wherever
/// two elements are), booleans, strings "a". Same seed, same values. `shape` has an element_count. Throws
/// Error(unsupported) for types that cannot be generated.
HostTensor generate_values(const Port& port, const Shape& shape, std::uint64_t seed);

}  // namespace takt
