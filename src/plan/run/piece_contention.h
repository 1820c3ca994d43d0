// What pieces of a model on different units do to each other while they run at once: two runtimes on cores that share a
// cache and memory, or simulated devices that share what their descriptions say.
//
// Real pieces run in pairs: with the few pieces that a model is cut into, there are fewer pairs of units than runs of
// each piece beside loads would take, and what was measured needs no prediction. Simulated ones run beside loads, and
// pairs follow from that. What a larger block does follows from its pieces (slow_downs.h). A real unit and a simulated
// one do nothing to each other.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

#include "pipeline/contention/interference_file.h"
#include "plan/run/piece_costs.h"

namespace takt {

struct PieceContentionSettings {
  int rounds = 3;
  std::uint64_t seed = 1;                                                      ///< of simulated noise
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};  ///< may be empty; of each kind of unit
  const std::atomic<bool>* stop = nullptr;
};

/// What was measured of single pieces, named as blocks of plans: "openvino@CPU[2]".
struct PieceContention {
  std::vector<PairRow> pairs;          ///< a row for each two on different units
  std::optional<KnownStages> answers;  ///< of simulated ones, which ran beside loads
};

/// Returns the contention of the pieces that have a time in `times`. Empty if no two units share anything. Throws Error
/// as run_pipeline(), Error(bad_input) where descriptions of simulated units name different laws, and Error(runtime)
/// when stopped.
PieceContention measure_piece_contention(const PlannedPieces& model, const std::vector<PieceMeasurement>& times,
                                         const PieceContentionSettings& settings);

/// "piece_pairs", a row per pair.
Table piece_pairs_table(const std::vector<PairRow>& pairs);
TableSchema piece_pairs_schema();

}  // namespace takt
