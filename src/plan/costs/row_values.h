// What a row of measured times may hold, wherever it is written: in the journal of a sweep, in raw_measurements.json.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "plan/costs/stage_measurement.h"

namespace takt {

inline constexpr std::int64_t most_graph_nodes = 2'147'483'646;  ///< and edges: runtimes count in 32 bits
inline constexpr std::int64_t longest_sample_ns =
    1'000'000'000'000'000;  ///< eleven days: beyond that it is another unit

// Each throws Error(bad_input) that begins with `place`.

/// "1000,2000,CPU,3" of a network that has such a stage, on a unit of all_units.
StageKey checked_stage_key(const std::string& text, Network network, const std::string& place);
/// Each from a nanosecond to longest_sample_ns.
std::vector<Nanoseconds> checked_samples(const nlohmann::json& list, const std::string& place);

}  // namespace takt
