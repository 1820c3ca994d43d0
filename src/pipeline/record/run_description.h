// What a run is, apart from its executions, as the JSON object that lies in a trace's provenance under "pipeline".
// docs/formats.md specifies it.
#pragma once

#include <string>

#include "pipeline/record/pipeline_run.h"

namespace takt {

/// The run's provenance with the description in it.
std::string describe_run(const PipelineRun& run);

struct RunDescription {
  PipelineRun run;              ///< without executions, copies, visits, batches and counters
  std::int64_t executions = 0;  ///< how many there must be
  std::int64_t copies = 0;      ///< the same of these
  Nanoseconds first_start{};    ///< of the first one, in the run's own time
  bool has_counters = false;
  std::string columns_json;  ///< for restore_visits(), when the executions are known
};

/// Throws Error(bad_input), beginning with `origin`, if the provenance has no such object, or one with missing or wrong
/// members.
RunDescription read_description(const std::string& provenance_json, const std::string& origin);

/// Visits and batches, from the executions that `run` has and the description's columns. Throws Error(bad_input).
void restore_visits(PipelineRun& run, const std::string& columns_json, const std::string& origin);

}  // namespace takt
