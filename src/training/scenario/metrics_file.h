// The metrics that a scenario leaves, as JSON.
#pragma once

#include <filesystem>
#include <string>

#include "base/system/provenance.h"
#include "training/scenario/key_figures.h"
#include "training/scenario/scenario.h"
#include "training/scenario/trainer_process.h"

namespace takt {

/// All that is known of a scenario that was run.
struct ScenarioOutcome {
  ScenarioSettings settings;
  std::string trace_dir;
  TrainingRun run;
  KeyFigures figures;
};

double mean_step_s(const TrainingRun& run);
double mean_wait_s(const TrainingRun& run);

/// The keys scenario, batch_size, num_workers, pin_memory, amp, avg_step_time_s, avg_dataloader_wait_s, trace_dir, and
/// under "takt" what takt knows beside them, provenance first.
std::string metrics_json(const ScenarioOutcome& outcome, const Provenance& provenance);

}  // namespace takt
