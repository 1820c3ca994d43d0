// Which level of memory an operator's bytes come from.
//
// An operator's own bytes do not settle it. A layer's weights of 2 MB would fit any second-level cache, but before they
// are needed again the whole model passes through the caches, and 24 such layers push each other out of all of them:
// the weights come from main memory every time, however small each layer is. What an operator just before has written
// is another matter: it is read at once, and still near.
//
// So there are two kinds of bytes. Constants are read once per inference and come from the nearest level that holds
// what one inference touches as a whole (the working set: all constants, and the largest operator's activations,
// because runtimes use the memory of activations again). Activations come from the nearest level that holds half of
// them, because operators keep what they read twice near. Bytes from a level pass through all nearer ones, all levels
// work at once, so the least time is that of the level which is busy longest.
//
// The rule is about what caches do usually. A time that is shorter than a level allows refutes it for that operator:
// then its bytes were nearer (a cache that keeps a part of a set too large for it, weights that a kernel reads before
// they are needed), and the next nearer level that the time does not refute is the one it is held to.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "base/machine/peaks.h"

namespace takt {

/// What one operator moves in one inference.
struct MovedBytes {
  double constants = 0;    ///< bytes of weights
  double activations = 0;  ///< bytes read and written of anything else
  double bytes() const { return constants + activations; }
};

/// What one inference touches, from its operators; of those whose bytes are not known, nothing.
class WorkingSet {
 public:
  void add(const MovedBytes& op) {
    constants_ += op.constants;
    activations_ = std::max(activations_, op.activations);
  }
  double bytes() const { return constants_ + activations_; }

 private:
  double constants_ = 0, activations_ = 0;
};

/// How fast memory could be at most.
struct MemoryRoof {
  Duration least{};   ///< to move the operator's bytes
  std::string level;  ///< which is busy longest: "L2", "DRAM"
};

/// An operator alone is a working set of its own. nullopt without levels that have a bandwidth.
std::optional<MemoryRoof> memory_roof(const MovedBytes& op, const WorkingSet& model, Duration time, bool one_thread,
                                      const Peaks& peaks);

}  // namespace takt
