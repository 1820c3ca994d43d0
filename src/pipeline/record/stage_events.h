// The pipeline of any program that traced it: events that tell a stage and a batch, as a run. takt::Recorder's scopes
// become one, and so does a trace of another program whose events say so much.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/record/pipeline_run.h"

namespace takt {

struct StageEventsRun {
  PipelineRun run;              ///< its batches in the order of their own numbers, which run.logged has
  std::int64_t unfinished = 0;  ///< batches that were inside when the trace ended and are left out
};

/// An event is a batch in a stage if it has the argument "batch_id" or "batch", a whole number, and either the text
/// argument "stage" or the category "stage". Where no event has one of those two, all that have a batch count.
/// - The stage is the text argument "stage", else the event's name. The order of stages is the one in which batches
///   pass them; a batch may skip stages.
/// - The device is the text argument "device", else the name of the event's row; behind the name of its process where
///   there are several.
/// - "hw_time_ms" is the time that the device counted, where it is told.
/// Queues and the source are what was seen: a batch waits for a stage since it left the one before. Throws
/// Error(bad_input), beginning with `origin`, if no event has a batch, one ends before it starts, a batch was twice in
/// a stage or in two stages at once, and if none was in all stages.
StageEventsRun run_of_events(const Trace& trace, const std::string& origin);

/// Whether read_any_pipeline() has something to read: a pipeline run of takt, or an event with a batch.
bool has_pipeline(const Trace& trace);

/// The trace of a pipeline run of takt, else of a program that told its stages.
StageEventsRun read_any_pipeline(const Trace& trace, const std::string& origin);

}  // namespace takt
