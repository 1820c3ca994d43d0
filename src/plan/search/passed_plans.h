// Partial plans that a search went on from: of two that have come equally far, the one that is ahead in everything
// makes the other one needless.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "plan/search/memory_bounds.h"

namespace takt {

/// What counts for how a plan may go on from a front.
struct Passage {
  std::int64_t sum = 0, slowest = 0;
  int blocks = 0;
  MemoryBounds::Bytes kept{};  ///< by unit
};

class PassedPlans {
 public:
  explicit PassedPlans(std::size_t fronts) : by_front_(fronts) {}

  /// How many have come to this front that are behind `plan` in nothing, no more than `most`. Where units keep
  /// different amounts only the last few of the others are compared, as looking at all would take longest.
  int ahead(std::size_t front, const Passage& plan, int most) const;
  void add(std::size_t front, const Passage& plan);

  /// Of plans that keep the same at a front, in which nothing else counts, the `most` shortest sums: whether this one
  /// is among them, which is noted.
  bool note_sum(std::size_t front, const MemoryBounds::Bytes& kept, std::int64_t sum, int most);
  /// Shorter ones have come since.
  bool is_behind(std::size_t front, const MemoryBounds::Bytes& kept, std::int64_t sum, int most) const;
  std::int64_t bytes() const { return bytes_; }

 private:
  struct HashOfBytes {
    std::size_t operator()(const MemoryBounds::Bytes& bytes) const;
  };
  struct Front {
    std::unordered_map<MemoryBounds::Bytes, std::vector<std::int64_t>, HashOfBytes> sums;  ///< in ascending order
    std::map<MemoryBounds::Bytes, std::vector<Passage>> by_kept;
    std::vector<Passage> last;  ///< a ring
    std::size_t next = 0;
  };
  std::vector<Front> by_front_;
  std::int64_t bytes_ = 0;
};

}  // namespace takt
