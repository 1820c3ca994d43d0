// What is known about who slows whom down in a recorded run.
//
// A slow-down is known when it was described (simulated devices), measured (`takt pipeline interference`), or when the
// run's own executions ran beside each other more and less, so that their times show it. That more threads than cores
// take turns is known without any measurement. Otherwise it stays in the recorded times as it was. That is right as
// long as as much runs beside as before; where a change alters it, contention_posterior.h has what may follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/contention/contention_posterior.h"
#include "pipeline/contention/interference.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

struct KnownStages;

/// Stage `stage` takes `factor` times as long while `beside` runs, as the overlaps of a run show; 90 % of what they
/// leave possible lies between `low` and `high`.
struct Interference {
  int stage = 0, beside = 0;
  double factor = 1, low = 1, high = 1;
};

struct KnownContention {
  /// What is described and measured, that threads take turns on cores, and of other pairs what the record shows; where
  /// it shows nothing, a slow-down stays in the recorded times.
  ContentionLaw law;
  std::vector<Interference> found;  ///< that the run's own overlaps show
  KnownPairs known;                 ///< described or measured
  ContentionPosterior possible;     ///< what else it may be
  /// What was measured is left out, because the replay of the record with it misses the makespan by so much, relative
  /// to it: more than 5 %, and more than without. It was measured under other conditions. nullopt: used, or none given.
  std::optional<double> refused_error{};
};

/// `measured`: pairs by the names of stages, as read_interference() gives them; they go before what overlaps show, and
/// behind what is described. `answers`: what stages press on and suffer by, where that was measured beside loads;
/// nullptr: it was not, and what several at once do to a stage is open. Throws Error(bad_input) when `measured` names
/// none of the run's stages.
KnownContention known_contention(const PipelineRun& run, std::span<const PairRow> measured = {},
                                 const KnownStages* answers = nullptr);

/// By stage, what one execution keeps busy of the cores; empty where the run does not tell, or nothing runs there.
std::vector<double> core_shares(const PipelineRun& run);

/// Threads of executions that run at the same time, at most, in the record and in a prediction. Beyond the cores the
/// system decides who waits, and a prediction can only take it to be fair.
struct CoreUse {
  int cores = 0;
  std::int64_t recorded = 0, predicted = 0;
};

/// nullopt where the run tells no cores, or no threads on them.
std::optional<CoreUse> core_use(const PipelineRun& recorded, const PipelineRun& predicted);

}  // namespace takt
