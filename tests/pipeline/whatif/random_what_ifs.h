// Random pipelines whose stages slow each other down, which their records do not tell, with random changes of them:
// what ranges are held against. Used by the tests and by bench/what_if_ranges.cpp.
#pragma once

#include <cstdint>

#include "pipeline/whatif/what_if_cases.h"

namespace takt {

/// Two to five stages of 1 to 6 ms with noise of 0 to 20 %, some on one device, some with replicas, in a closed loop or
/// with batches that come by themselves; every stage slows every other one down, and its own replicas, by a factor from
/// 1 to 1.8, and factors multiply. One or two knobs change. The same seed gives the same case.
WhatIfCase random_what_if(std::uint64_t seed);

}  // namespace takt
