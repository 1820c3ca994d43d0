// The tables of a what-if and what their columns mean.
#include "base/basics/index.h"
#include "base/table/common_columns.h"
#include "pipeline/whatif/what_if.h"

namespace takt {
namespace {

/// One end of a range; empty where the row is no prediction, or has no such figure.
Cell low_of(const std::optional<Range<Duration>>& range) { return range ? Cell(range->low) : Cell(); }
Cell high_of(const std::optional<Range<Duration>>& range) { return range ? Cell(range->high) : Cell(); }
std::optional<Range<Duration>> makespan_range(const WhatIfRow& r) {
  return r.ranges ? std::optional(r.ranges->makespan) : std::nullopt;
}
std::optional<Range<Duration>> cycle_range(const WhatIfRow& r) { return r.ranges ? r.ranges->cycle : std::nullopt; }
std::optional<Range<Duration>> latency_range(const WhatIfRow& r) { return r.ranges ? r.ranges->latency : std::nullopt; }

constexpr Column<WhatIfRow> variant_column{
    "variant", "Variant", [](const WhatIfRow& r) -> Cell { return r.variant; },
    "before: as recorded; replayed: the recorded times replayed without a change; after: with all changes, whose "
    "effect is the difference from replayed; in a sweep, the change in addition to all others, replacing one of the "
    "same knob."};
constexpr Column<WhatIfRow> value_column{"value", "Value", [](const WhatIfRow& r) -> Cell { return r.value; },
                                         "The value of the swept knob."};
constexpr Column<WhatIfRow> makespan_column{common::makespan_us,
                                            [](const WhatIfRow& r) -> Cell { return Duration(r.makespan); }};
constexpr Column<WhatIfRow> makespan_low_column{
    "makespan_low_us", "Low", [](const WhatIfRow& r) { return low_of(makespan_range(r)); },
    "Lower end of the makespan's 90 % prediction interval. Empty if nothing is predicted."};
constexpr Column<WhatIfRow> makespan_high_column{
    "makespan_high_us", "High", [](const WhatIfRow& r) { return high_of(makespan_range(r)); },
    "Upper end of the makespan's 90 % prediction interval. Empty if nothing is predicted."};
constexpr Column<WhatIfRow> cycle_column{common::cycle_us, [](const WhatIfRow& r) { return optional_cell(r.cycle); }};
constexpr Column<WhatIfRow> cycle_low_column{"cycle_low_us", "Cycle low",
                                             [](const WhatIfRow& r) { return low_of(cycle_range(r)); },
                                             "Lower end of the cycle's 90 % prediction interval."};
constexpr Column<WhatIfRow> cycle_high_column{"cycle_high_us", "Cycle high",
                                              [](const WhatIfRow& r) { return high_of(cycle_range(r)); },
                                              "Upper end of the cycle's 90 % prediction interval."};
constexpr Column<WhatIfRow> throughput_column{common::batches_per_s,
                                              [](const WhatIfRow& r) { return optional_cell(r.throughput_per_s); }};
constexpr Column<WhatIfRow> latency_column{common::latency_us,
                                           [](const WhatIfRow& r) { return optional_cell(r.latency); }};
constexpr Column<WhatIfRow> latency_low_column{"latency_low_us", "Latency low",
                                               [](const WhatIfRow& r) { return low_of(latency_range(r)); },
                                               "Lower end of the mean latency's 90 % prediction interval."};
constexpr Column<WhatIfRow> latency_high_column{"latency_high_us", "Latency high",
                                                [](const WhatIfRow& r) { return high_of(latency_range(r)); },
                                                "Upper end of the mean latency's 90 % prediction interval."};
constexpr Column<WhatIfRow> bottleneck_column{
    common::bottleneck, [](const WhatIfRow& r) -> Cell { return r.bottleneck.empty() ? Cell() : r.bottleneck; }};
constexpr Column<WhatIfRow> replay_error_column{
    "replay_error", "Replay error", [](const WhatIfRow& r) -> Cell { return r.replay_error; },
    "Error of replaying the recorded run without any change, as a ratio to the recorded makespan: 0.01 is 1 %. The "
    "prediction intervals include the replay error on both sides."};

constexpr Column<WhatIfRow> summary_columns[] = {
    variant_column,      makespan_column,   makespan_low_column, makespan_high_column, cycle_column,
    cycle_low_column,    cycle_high_column, throughput_column,   latency_column,       latency_low_column,
    latency_high_column, bottleneck_column, replay_error_column};
constexpr Column<WhatIfRow> sweep_columns[] = {
    variant_column,     value_column,        makespan_column,   makespan_low_column, makespan_high_column,
    cycle_column,       cycle_low_column,    cycle_high_column, throughput_column,   latency_column,
    latency_low_column, latency_high_column, bottleneck_column, replay_error_column};

constexpr Column<SensitivityRow> sensitivity_columns[] = {
    {common::stage, [](const SensitivityRow& r) -> Cell { return r.stage; }},
    {common::batches_per_s, [](const SensitivityRow& r) { return optional_cell(r.throughput_per_s); }},
    {"gain", "Throughput gain", [](const SensitivityRow& r) { return optional_cell(r.gain); },
     "Relative change of the throughput if the stage takes 10 % less time: 0.11 if the stage alone is the bottleneck, "
     "0 if it is not."},
    {common::makespan_us, [](const SensitivityRow& r) -> Cell { return Duration(r.makespan); }},
};

constexpr ColumnText slowdown_low{"slowdown_low", "Slowdown low",
                                  "Lower end of the 90 % interval of the slowdown of the stage while the other runs."};
constexpr ColumnText slowdown_high{"slowdown_high", "Slowdown high",
                                   "Upper end of the 90 % interval of the slowdown of the stage while the other runs."};

struct InterferenceRow {
  std::string stage, beside;
  double factor, low, high;
};

constexpr Column<InterferenceRow> found_columns[] = {
    {common::stage, [](const InterferenceRow& r) -> Cell { return r.stage; }},
    {common::beside, [](const InterferenceRow& r) -> Cell { return r.beside; }},
    {common::factor, [](const InterferenceRow& r) -> Cell { return r.factor; }},
    {slowdown_low, [](const InterferenceRow& r) -> Cell { return r.low; }},
    {slowdown_high, [](const InterferenceRow& r) -> Cell { return r.high; }},
};

struct ExtrapolatedRow {
  std::string stage, beside;
  double before, after, low, high;
};

constexpr Column<ExtrapolatedRow> extrapolated_columns[] = {
    {common::stage, [](const ExtrapolatedRow& r) -> Cell { return r.stage; }},
    {common::beside, [](const ExtrapolatedRow& r) -> Cell { return r.beside; }},
    {"overlap_before", "Overlap before", [](const ExtrapolatedRow& r) -> Cell { return r.before; },
     "Time of concurrent executions divided by the stage's own time, as recorded; 2 is two at the same time."},
    {"overlap_after", "Overlap after", [](const ExtrapolatedRow& r) -> Cell { return r.after; },
     "Time of concurrent executions divided by the stage's own time, after the changes; 2 is two at the same time."},
    {slowdown_low, [](const ExtrapolatedRow& r) -> Cell { return r.low; }},
    {slowdown_high, [](const ExtrapolatedRow& r) -> Cell { return r.high; }},
};

constexpr Column<CoreUse> core_columns[] = {
    {"cores", "Cores", [](const CoreUse& r) -> Cell { return std::int64_t{r.cores}; },
     "Logical cores that the recorded run could use."},
    {"threads_recorded", "Threads recorded", [](const CoreUse& r) -> Cell { return r.recorded; },
     "Maximum number of threads of executions on the CPU at the same time, as recorded."},
    {"threads_predicted", "Threads predicted", [](const CoreUse& r) -> Cell { return r.predicted; },
     "Maximum number of threads of executions on the CPU at the same time, after the changes. If they exceed the "
     "cores, the prediction assumes that the system shares the cores fairly."},
};

constexpr TableDefinition<WhatIfRow> summary_definition{
    "summary", "The recorded run, its replay without a change, and the run with all changes: a row each.",
    summary_columns};
constexpr TableDefinition<WhatIfRow> sweeps_definition{
    "sweep", "The run with each value of --sweep in addition to the changes: a row per value.", sweep_columns};
constexpr TableDefinition<SensitivityRow> sensitivities_definition{
    "sensitivity", "The run after the changes if one stage takes 10 % less time: a row per stage.",
    sensitivity_columns};
constexpr TableDefinition<InterferenceRow> interferences_definition{
    "interference", "Slowdowns estimated from the overlaps of the recorded run: a row per pair of stages.",
    found_columns};
constexpr TableDefinition<ExtrapolatedRow> extrapolated_definition{
    "extrapolated",
    "Stages that overlap more or less after the changes than in the recording, which does not determine the effect of "
    "the overlap: a row per pair of stages.",
    extrapolated_columns};
constexpr TableDefinition<CoreUse> core_use_table{
    "cores", "Threads compared with the machine's cores: one row; empty if the trace does not report them.",
    core_columns};

}  // namespace

Table answers_table(const std::vector<WhatIfRow>& rows) { return summary_definition.make(rows); }

std::vector<Table> tables(const WhatIf& result) {
  std::vector<InterferenceRow> found;
  for (const auto& entry : result.interference)
    found.push_back(
        {result.stages[index(entry.stage)], result.stages[index(entry.beside)], entry.factor, entry.low, entry.high});
  std::vector<ExtrapolatedRow> beyond;
  for (const auto& entry : result.extrapolated)
    beyond.push_back({result.stages[index(entry.stage)], result.stages[index(entry.beside)], entry.before, entry.after,
                      entry.factor.low, entry.factor.high});
  std::vector<CoreUse> cores;
  if (result.cores) cores.push_back(*result.cores);
  return {summary_definition.make(result.summary),
          sweeps_definition.make(result.sweep),
          sensitivities_definition.make(result.sensitivity),
          interferences_definition.make(found),
          extrapolated_definition.make(beyond),
          core_use_table.make(cores)};
}

std::vector<TableSchema> what_if_schemas() {
  return {summary_definition.schema(),       sweeps_definition.schema(),       sensitivities_definition.schema(),
          interferences_definition.schema(), extrapolated_definition.schema(), core_use_table.schema()};
}

}  // namespace takt
