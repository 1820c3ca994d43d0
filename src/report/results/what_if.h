// What a page shows of a recorded pipeline besides its tables: what it would do with changes, as sliders, and its timeline.
#pragma once

#include <string>

#include "pipeline/record/pipeline_run.h"
#include "report/results/result_file.h"

namespace takt {

/// Returns the answers of pipeline/whatif/replay_grid.h, or why there are none. `trace`: the file that `takt pipeline
/// whatif` would read; empty: none was written.
ReportAnswers what_if_answers(const PipelineRun& run, const std::string& trace);

/// Returns these and the timeline of the run; none of more executions than a page shows spans.
BesideTables beside_tables(const PipelineRun& run, const std::string& trace);

}  // namespace takt
