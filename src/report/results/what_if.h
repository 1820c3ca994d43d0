// What a recorded pipeline would do with changes, as sliders of a page.
#pragma once

#include <string>

#include "pipeline/record/pipeline_run.h"
#include "report/page/page.h"

namespace takt {

/// Returns the answers of pipeline/whatif/replay_grid.h, or why there are none. `trace`: the file that `takt pipeline
/// whatif` would read; empty: none was written.
ReportAnswers what_if_answers(const PipelineRun& run, const std::string& trace);

}  // namespace takt
