// How long the core's second-level cache takes to answer: a sign of who else is on the core.
//
// Problem: the two hardware threads of a core share its caches and its units. What another program or another virtual
// machine does on the second one makes a model up to half slower again, for seconds, and nothing that a system counts
// tells: no time is stolen, nobody waits, the clock stays. What does tell is a walk over memory that would fit the
// second-level cache alone, each read needing the one before: where somebody else uses that cache too, many of these
// reads go to the next level and take several times as long. It also reads slower at a lower clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// Not thread-safe; walks on the thread that asks.
class CacheProbe {
 public:
  /// For half of the second-level cache of this machine, or of 512 KiB if the system does not report it.
  CacheProbe();
  /// For `bytes`, rounded down to a power of two, at least 4096.
  explicit CacheProbe(std::size_t bytes);

  /// How long two rounds over all lines take after one that brings them in: some 60 us in all. Only walks of one
  /// machine are comparable.
  Nanoseconds walk();
  std::size_t lines() const;
  /// How many reads lead back to where one begins: all lines.
  std::size_t round() const;

 private:
  std::uint32_t walked(std::size_t reads, std::uint32_t from) const;

  std::vector<std::uint32_t> next_;  ///< at the begin of each line, where the next one begins
  std::uint32_t at_ = 0;
};

}  // namespace takt
