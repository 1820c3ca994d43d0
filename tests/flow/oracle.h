// A second, slow telling of the rules in flow/pipeline_flow.h, sharing no code and no idea with the first: batches that
// know where they are, and loops that look at all of them until none can move. Tests compare the two.
#pragma once

#include <functional>

#include "flow/simulate.h"

namespace takt {

struct OracleInput {
  FlowShape shape;
  std::vector<Nanoseconds> arrivals;  ///< of an open source
  std::function<std::int64_t(const Execution&)> service;
  /// How much slower (a power of two, so that doubles are exact) the first runs beside the others; empty: not at all.
  std::function<double(const Execution&, const std::vector<Execution>& others)> slowdown;
};

/// Executions are sorted by batch, stage, phase and part.
Schedule oracle(const OracleInput& input);

}  // namespace takt
