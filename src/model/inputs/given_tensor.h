// A value that a user gave for an input, as it was written; nothing of the model is known here.
//
// Every reader of such values (literals, .npy, .json, .ppm and .pgm) is a function from text or bytes to a GivenTensor.
// None of them opens a file or allocates more than a small multiple of what it was given.
#pragma once

#include <cstdint>
#include <string>

#include "model/runtime/runtime.h"

namespace takt {

enum class GivenAs {
  typed,    ///< a file with a type: its values are exact, also when they have many digits
  written,  ///< decimal digits that a person wrote: 0.1 means the nearest value of the model's type
  image,    ///< {1,height,width,channels}; models may want {1,channels,height,width}
};

struct GivenTensor {
  HostTensor tensor;  ///< written: int64, uint64, float64, bool or string, the narrowest that holds all values
  GivenAs as = GivenAs::typed;
};

/// The largest tensor that is read or generated: what the kernel overcommits beyond ends in a killed process.
inline constexpr std::int64_t largest_tensor_bytes = std::int64_t{8} << 30;

}  // namespace takt
