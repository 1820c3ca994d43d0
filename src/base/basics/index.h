// Numbers of stages, devices and batches are signed (−1: none), places in containers are not: the one conversion.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/basics/check.h"

namespace takt {

/// `number` as the place of an element. Below zero is a mistake of the caller.
constexpr std::size_t index(std::int64_t number) {
  TAKT_DCHECK(number >= 0);
  return static_cast<std::size_t>(number);
}

}  // namespace takt
