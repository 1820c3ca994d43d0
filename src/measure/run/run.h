// Runs a model and keeps every sample: the measured calls, and for each of them the time of each executed operator.
//
// Two passes can be made, each in a session of its own: a plain one, whose times are what a user of the model sees, and
// a profiled one, whose operator times add up to its own calls (profiling costs time on small operators, so the two are
// never mixed in one figure). Order of the story: open → warm up → run in turns (measure/timing/measure.h); between two
// clock reads there is only the runtime's call.
#pragma once

#include <filesystem>

#include "measure/open/run_result.h"
#include "measure/open/run_settings.h"
#include "measure/timing/measure.h"

namespace takt {

enum class RunPasses { plain, profiled, both };

/// Throws Error naming the model and the cause.
RunResult run_model(const std::filesystem::path& model, const RunSettings& settings, RunPasses passes,
                    const RunProgress& progress = {});

}  // namespace takt
