// A pipeline run from any file that has one: a trace, or the journal of a run that did not come to its end.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/record/pipeline_run.h"
#include "trace/events/trace_read.h"

namespace takt {

struct RecordedRun {
  PipelineRun run;
  std::vector<std::string> notes;  ///< what the file lacks, a sentence each that begins with its name
};

/// Throws Error(io), and Error(bad_input) as read_trace(), read_any_pipeline() and read_run_journal() do.
RecordedRun read_recorded_run(const std::filesystem::path& file);

/// The same of a trace that has been read; `file` stands for it in notes and messages.
RecordedRun recorded_run_of(const TraceRead& read, const std::filesystem::path& file);

/// A trace of any kind, or the journal of a run as the trace that it would have written; `notes` gets what the journal
/// lacks. Throws as read_trace() and read_run_journal() do.
TraceRead read_trace_or_journal(const std::filesystem::path& file, const TraceReadSettings& settings,
                                std::vector<std::string>& notes);

}  // namespace takt
