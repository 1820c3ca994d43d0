// Turns of a measurement in which somebody else used the same core, seen by how late its caches answered
// (base/machine/cache_probe.h), and what that cost.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "measure/open/run_result.h"

namespace takt {

struct SharedCore {
  std::vector<bool> is_shared;  ///< by sample
  std::size_t shared_turns = 0, turns = 0;
  double walks = 1, runs = 1;  ///< how many times as long they took in shared turns: medians
  Duration cost{};             ///< of a run: by how much longer it took
};

/// A turn is shared where its walk took half longer than the fastest tenth: by where their memory lies, walks differ by
/// less, and beside a neighbour they take two or three times as long. nullopt: fewer than three turns with or without,
/// or runs that took no twentieth longer, or no longer than turns differ by chance (one in fifty).
std::optional<SharedCore> find_shared_core(const RunPass& pass);

}  // namespace takt
