// How long the executions of a stage took in runs that were made to find out: alone, or beside something else; and what
// follows for its slow-down.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// Executions of one stage, from all rounds, in nanoseconds.
struct StageDurations {
  std::vector<double> all;
  std::vector<double> round_means;
  double beside = 0;                 ///< Σ of the time in which the other stage ran, too
  double hardware = 0, counted = 0;  ///< Σ of the counters of executions that have some, and how many

  std::optional<double> hardware_mean() const { return counted > 0 ? std::optional(hardware / counted) : std::nullopt; }
  /// Share of the executions' time in which the other ran; nullopt without executions.
  std::optional<double> overlap() const;
};

/// Adds the executions of `stage` in `run`, a round, without its warm-up; `beside`: the stage that ran at once.
void add_durations(const PipelineRun& run, int stage, std::optional<int> beside, StageDurations& into);

/// f of together = alone + (1 − 1/f)·share·together: the slow-down while both run, of a stage that takes `alone` by
/// itself and `together` beside another that ran for that share of its time. 1 where they never did; below 1 where it
/// was faster.
double slow_down_while_both_run(double alone, double together, double share);

}  // namespace takt
