// What a user's program told of its pipeline, as the run that the engine would have recorded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "pipeline/record/pipeline_run.h"
#include "takt/stage_executor.h"

namespace takt {

struct LoggedPart {
  std::size_t device = 0;
  Nanoseconds submitted{}, completed{};
  ExecutionCounters counters;
};

/// A batch in a stage. Times are of the steady clock, each at or after the one before it.
struct LoggedVisit {
  Nanoseconds begin{};
  Nanoseconds dispatched{};  ///< the partition is done; `begin` in a stage of one part
  Nanoseconds merged{};      ///< the merge starts; `done` in a stage of one part
  Nanoseconds done{};
  std::vector<LoggedPart> parts;
  TensorCopy inputs_copied{}, outputs_copied{};  ///< of a stage of one part: before `begin` and after `done`

  Nanoseconds came() const { return inputs_copied.bytes > 0 ? inputs_copied.begin : begin; }
  Nanoseconds left() const { return outputs_copied.bytes > 0 ? outputs_copied.end : done; }
};

struct LoggedStage {
  std::string name;
  int parts = 1;
};

/// Not thread-safe.
struct PipelineLog {
  using Visits = std::vector<std::optional<LoggedVisit>>;  ///< by stage; shorter where the last ones were not visited

  std::size_t stage(std::string_view name) const;  ///< its number; that of the next one where it is new
  std::size_t device(std::string_view name);       ///< its number, given now where it is new

  std::string name;
  Nanoseconds wall_minus_steady = wall_now() - steady_now();
  std::vector<LoggedStage> stages;  ///< as named
  std::vector<std::string> devices;
  std::map<std::int64_t, Visits> batches;
};

/// Returns the run of the batches that came to the end (logged_batches.h). Throws Error(bad_input) if there is none, if
/// no batch went from one stage to another although there are several, or if a batch was in a stage before the previous
/// one had completed it.
PipelineRun run_of(const PipelineLog& log);

}  // namespace takt
