// The own work of each rank in each step that all of them have, and how long it waited for the others.
#pragma once

#include <vector>

#include "training/diagnosis/diagnosis.h"

namespace takt {

struct RankStep {
  std::size_t position = 0;  ///< in the rank's list of steps
  std::int64_t work = 0;     ///< ns
  std::int64_t waited = 0;   ///< ns in collectives beyond what the last one to come needed; nothing else ran
};

struct RankWork {
  std::vector<std::size_t> diagnoses;        ///< positions of the ranks' diagnoses
  std::vector<std::vector<RankStep>> steps;  ///< by common step, then by rank
  bool is_pipeline = false;                  ///< ranks send to each other

  std::size_t ranks() const { return diagnoses.size(); }
  double mean_work(std::size_t rank) const;   ///< ns per step
  std::int64_t most(std::size_t step) const;  ///< work of the slowest rank
  /// Work of the slowest rank that `left_out` does not have; 0: there is none.
  std::int64_t most_without(std::size_t step, const std::vector<bool>& left_out) const;
  /// Work that half of the ranks do not exceed, of an even number the lower half.
  std::int64_t usual(std::size_t step) const;
  std::int64_t mean(std::size_t step) const;
};

/// Of diagnoses with a rank and steps; each rank once.
RankWork rank_work(const std::vector<Diagnosis>& diagnoses);

}  // namespace takt
