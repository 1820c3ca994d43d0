// Pipelines whose laws are known, recorded once and then really changed: what a prediction from the record alone is
// measured against. Used by the tests and by bench/what_if.cpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pipeline/contention/interference.h"
#include "pipeline/record/pipeline_run.h"

namespace takt {

/// The truth: how long a stage takes. Part p of a batch takes fixed[p] + ratio[p] · whole[p]; one part: ratio {1}.
struct TrueStage {
  std::vector<double> whole_us, fixed_us, ratio;
  double partition_us = 0, merge_us = 0;
};

struct TruePipeline {
  FlowShape shape;
  std::vector<TrueStage> stages;
  double sigma = 0;       ///< of lognormal noise, drawn anew for every execution
  int delayed_every = 0;  ///< every so many batches something else makes an execution three times as long; 0: never
  std::uint64_t seed = 1;
  ContentionLaw contention;
  bool law_in_record = true;  ///< false: the record does not tell the law, as that of a real device does not
  std::vector<Nanoseconds> arrivals;
};

PipelineRun run_truth(const TruePipeline& truth);

/// What `takt pipeline interference` would measure of it: stages alone and in pairs, with noise of their own.
std::vector<PairRow> measure_truth(const TruePipeline& truth);

struct WhatIfCase {
  std::string name;
  std::string kind;  ///< "plain", "contention", "noise", "blocking"; "limit": known to be mispredicted, and said so
  TruePipeline truth;
  std::vector<std::string> changes;  ///< as for --set
  std::function<void(TruePipeline&)> really;
  bool measures = false;  ///< the slow-downs of the stages are measured before the prediction

  /// The changed pipeline, really run: with noise of its own.
  PipelineRun run_changed() const;
  /// The prediction from the record alone, or with measured slow-downs.
  PipelineRun predict(const PipelineRun& recorded) const;
};

std::vector<WhatIfCase> what_if_cases();
/// Those that go beyond what the record tells.
std::vector<WhatIfCase> what_if_limits();

/// gather → infer → post, each on a device of its own ("a", "b", "c"); times in µs.
TruePipeline chain(std::vector<double> times_us, int queue = 2, std::int64_t batches = 200);

}  // namespace takt
