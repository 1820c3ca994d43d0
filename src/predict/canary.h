// A fixed piece of work beside every measurement: how fast the machine is meanwhile.
//
// A shared machine is slower by a tenth for seconds at a time, since its clock and its memory are shared with others that
// nobody can see. A canary before and after a measurement misses most of that; one between its blocks feels what the
// model feels. It computes in registers and reads memory, told apart: models feel the two in different measure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/units.h"

namespace takt {

struct CanaryTimes {
  double compute_us = 0, memory_us = 0;  ///< mean of a piece of each

  double us() const { return compute_us + memory_us; }
};

/// For one thread. Holds 64 MB; not copied.
class Canary {
 public:
  Canary();
  Canary(const Canary&) = delete;
  Canary& operator=(const Canary&) = delete;
  /// One piece of each kind: about a millisecond.
  void sing();
  /// Of all pieces but the longest tenth and the shortest; nullopt before the first.
  std::optional<CanaryTimes> times() const;

 private:
  std::vector<char> area_;
  const std::byte* begin_ = nullptr;  ///< of it, where a line of the cache begins
  std::size_t at_ = 0;
  std::vector<Nanoseconds> computing_, reading_;
};

}  // namespace takt
