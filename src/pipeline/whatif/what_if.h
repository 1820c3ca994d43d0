// What a recorded pipeline would have done if something had been different, as tables. No estimate is worth more than
// what is known of it: every answer carries the error of the replay without a change, and a range (prediction_range.h)
// that holds what else is possible.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "base/table/table.h"
#include "pipeline/whatif/extrapolation.h"
#include "pipeline/whatif/known_contention.h"
#include "pipeline/whatif/prediction_range.h"
#include "pipeline/whatif/replay.h"

namespace takt {

/// Beyond it a replay without a change is no replay, and the answer says so before anything else.
inline constexpr double reliable_replay_error = 0.05;

/// What one variant of the pipeline does.
struct WhatIfRow {
  std::string variant;  ///< "before", "replayed", "after", or the change of a sweep
  std::string value;    ///< of a sweep: what the knob was set to, as a reader writes it
  Nanoseconds makespan{};
  std::optional<Duration> cycle, latency;  ///< steady cycle, mean latency
  std::optional<double> throughput_per_s;
  std::string bottleneck;           ///< stage; empty without batches
  double replay_error = 0;          ///< |replayed − before| / before of the makespan, without a change
  std::optional<RunRanges> ranges;  ///< of a prediction
  std::optional<Duration> latency_p99{};
};

/// What a stage that is 10 % faster would bring.
struct SensitivityRow {
  std::string stage;
  std::optional<double> throughput_per_s, gain;  ///< gain: relative change of the throughput
  Nanoseconds makespan{};
};

struct WhatIf {
  std::vector<WhatIfRow> summary;  ///< before, replayed, after
  std::vector<WhatIfRow> sweep;
  std::string swept;                        ///< the knob of the sweep: "stage.infer.time"
  std::vector<SensitivityRow> sensitivity;  ///< of the pipeline after the changes
  std::vector<Interference> interference;   ///< found in the run, by number of stage
  std::vector<Extrapolation> extrapolated;  ///< where the changed pipeline goes beyond what is known
  std::optional<CoreUse> cores{};           ///< nullopt: not told by the trace
  std::optional<double> refused_error{};    ///< as KnownContention's
  std::vector<std::string> stages;          ///< names
  bool asks_rate = false;                   ///< a change or the sweep sets the source's rate
  bool has_seen_arrivals = false;           ///< of a program's own report: batches come when its first stage took them
};

/// Of several changes of one knob the last holds. `sweep`: every one of them is applied after `changes`, one at a time.
/// `measured`: slow-downs of pairs of stages that were measured, `answers`: what stages press on and suffer by, which
/// adds up where several run at once; nullptr: that was not measured. Throws as replay() and known_contention() do.
WhatIf what_if(const PipelineRun& run, std::span<const PipelineChange> changes,
               std::span<const PipelineChange> sweep = {}, std::span<const PairRow> measured = {},
               const KnownStages* answers = nullptr);

/// What each of these settings does: the rows that what_if() calls "after", without what it says beside them. Throws as it
/// does.
std::vector<WhatIfRow> predictions(const PipelineRun& run, std::span<const std::vector<PipelineChange>> settings);

/// Rows as a table like "summary".
Table answers_table(const std::vector<WhatIfRow>& rows);

/// summary, sweep, sensitivity, interference, extrapolated, cores; empty ones have columns and no rows.
std::vector<Table> tables(const WhatIf& result);
std::vector<TableSchema> what_if_schemas();
std::string to_text(const WhatIf& result, const TextStyle& style = {});

}  // namespace takt
