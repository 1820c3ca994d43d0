// Does a run fit its own shape? Accounting and the trace's reader ask before they index anything by it.
#pragma once

#include <string>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// Throws Error(bad_input), beginning with `origin`, that names the first record that cannot be: a device, stage,
/// replica, part or batch that does not exist, times out of order or too large to add up.
void check(const PipelineRun& run, const std::string& origin);

/// The same of its shape alone.
void check_shape(const PipelineRun& run, const std::string& origin);

}  // namespace takt
