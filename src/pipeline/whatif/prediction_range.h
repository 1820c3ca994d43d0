// What a changed pipeline may do, as far as the record tells: the ranges of predictions.
//
// A prediction can be wrong for four reasons, and each is in the range:
//  1. The replay without a change is off. So much is added on both sides.
//  2. The times of a run are one draw of many. Batches are drawn from the record anew, in blocks, as the bootstrap
//  does;
//     twice, because the record is a draw and the run that is predicted another one.
//  3. Which stage slows which one down, and how much, is not known where stages always, or never, ran beside each
//     other. Each draw has a law of its own that the record does not contradict (contention_posterior.h): it is taken out of
//     the recorded times and put back as the changed pipeline has it. So an overlap that ends is as uncertain as one
//     that begins, and where nothing overlaps otherwise, a wrong law cancels out.
//  4. Threads beyond the cores: taken to be shared fairly, but moving and waiting cost something that a record of a
//     machine with cores to spare does not show. Each draw has a cost of its own.
// The range is the shortest one that holds the prediction and 90 % of the draws. bench/what_if_ranges.cpp counts how
// often the truth lies in it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/account/account.h"
#include "pipeline/whatif/change.h"
#include "pipeline/whatif/known_contention.h"
#include "pipeline/whatif/range.h"

namespace takt {

/// nullopt where the figure is missing.
struct RunRanges {
  Range<Duration> makespan;
  std::optional<Range<Duration>> cycle, latency;
};

class PredictionRange {
 public:
  /// Of a long run the first 500 batches are drawn, and what the times of single batches do to the answer is made as
  /// small as it is over all of them. `replay_error`: of `run` with what is known.
  PredictionRange(const PipelineRun& run, const KnownContention& known, double replay_error);

  /// Around `predicted`, the account of the replay with `changes` and what is known. Throws as replay() does.
  RunRanges ranges(std::span<const PipelineChange> changes, const Accounts& predicted) const;

 private:
  struct Figures {
    double makespan_ns = 0;
    std::optional<double> cycle_us, latency_us;
  };
  static Figures figures_of(const Accounts& accounts);
  Figures draw(std::span<const PipelineChange> changes, std::size_t number) const;

  PipelineRun run_;  ///< its beginning, where it is long
  ContentionLaw known_;
  double replay_error_;
  double share_ = 1;                                ///< of a deviation by single batches: √(batches drawn / batches)
  std::vector<ContentionLaw> laws_;                 ///< by draw
  std::vector<std::vector<std::int64_t>> batches_;  ///< by draw: whose times each batch takes
};

}  // namespace takt
