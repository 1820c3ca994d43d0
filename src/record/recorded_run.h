// A pipeline run from any file that has one: a trace, or the journal of a run that did not come to its end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "record/pipeline_run.h"

namespace takt {

struct RecordedRun {
  PipelineRun run;
  std::vector<std::string> notes;  ///< what the file lacks, a sentence each that begins with its name
};

/// Throws Error(io), and Error(bad_input) as read_trace(), read_any_pipeline() and read_run_journal() do.
RecordedRun read_recorded_run(const std::filesystem::path& file);

}  // namespace takt
