// Traces to cut pieces out of.
#pragma once

#include <random>
#include <string>

#include "trace/events/trace.h"

namespace takt {

/// A program with nested spans, a device with arrows to it, a counter, and marks of steps of 1000 ns.
Trace training_trace(int steps);

/// A file as others write it: begins and ends, async spans, arrows as events of their own, on several rows.
std::string random_json(std::mt19937& random);

}  // namespace takt
