// Random pipelines for tests of agreement: small numbers, so that ties, full queues and full devices are frequent.
#pragma once

#include <random>

#include "flow/oracle.h"

namespace takt {

/// Every kind of chain that the rules know.
OracleInput random_pipeline(std::uint64_t seed);
/// The same stages, forking and meeting, some of them behind the source or in front of the sink on their own.
OracleInput random_graph(std::uint64_t seed);

/// The law and its twin for the oracle: powers of two only, so that both are exact.
ContentionLaw random_contention(OracleInput& input, std::uint64_t seed);

/// 3-8 stages, replicas 1-4, queues 1-4, some of them split, closed loop, devices without a bound.
FlowShape random_chain(std::uint64_t seed, std::int64_t batches);
std::vector<StageTime> random_times(const FlowShape& shape, std::uint64_t seed);

}  // namespace takt
