// Short names of element types for tests that say them often.
#pragma once

#include "model/graph/types.h"

namespace takt {

inline constexpr auto f32 = ElementType::f32;

}  // namespace takt
