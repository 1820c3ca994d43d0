#include "replay/what_if.h"

#include <fmt/format.h>

#include "account/account.h"
#include "core/common_columns.h"
#include "core/index.h"

namespace takt {
namespace {

WhatIfRow row_of(std::string variant, const PipelineRun& run, double replay_error) {
  const Accounts accounts = account(run);
  WhatIfRow row;
  row.variant = std::move(variant);
  row.makespan = accounts.window.length();
  row.cycle = accounts.cycle;
  row.latency = accounts.latency.mean;
  row.throughput_per_s = accounts.throughput_per_s;
  if (accounts.bottleneck) row.bottleneck = accounts.stages[index(*accounts.bottleneck)].name;
  row.replay_error = replay_error;
  return row;
}

std::vector<PipelineChange> with(std::span<const PipelineChange> changes, const PipelineChange& one) {
  std::vector<PipelineChange> all(changes.begin(), changes.end());
  all.push_back(one);
  return all;
}

SensitivityRow sensitivity(const PipelineRun& run, std::span<const PipelineChange> changes, const ContentionLaw& law,
                           std::size_t stage, const WhatIfRow& after) {
  const PipelineChange faster{Knob::stage_time, run.stages[stage].name, 0.9, true, {}, {}, "10 % faster"};
  const WhatIfRow row = row_of("", replay(run, with(changes, faster), law), 0);
  SensitivityRow result{row.variant, row.throughput_per_s, {}, row.makespan};
  result.stage = run.stages[stage].name;
  if (row.throughput_per_s && after.throughput_per_s) result.gain = *row.throughput_per_s / *after.throughput_per_s - 1;
  return result;
}

constexpr Column<WhatIfRow> summary_columns[] = {
    {"variant", "Variant", [](const WhatIfRow& r) -> Cell { return r.variant; },
     "before: as recorded; replayed: the recorded times through the same rules without a change; after: with all "
     "changes; in a sweep, the change on top of all others."},
    {common::makespan_us, [](const WhatIfRow& r) -> Cell { return Duration(r.makespan); }},
    {common::cycle_us, [](const WhatIfRow& r) { return optional_cell(r.cycle); }},
    {common::batches_per_s, [](const WhatIfRow& r) { return optional_cell(r.throughput_per_s); }},
    {common::latency_us, [](const WhatIfRow& r) { return optional_cell(r.latency); }},
    {common::bottleneck, [](const WhatIfRow& r) -> Cell { return r.bottleneck.empty() ? Cell() : r.bottleneck; }},
    {"replay_error", "Replay error", [](const WhatIfRow& r) -> Cell { return r.replay_error; },
     "How far the replay of the recorded run without any change misses the recorded makespan, as a ratio to it: 0.01 "
     "is 1 %. What a prediction adds to that is not known beforehand."},
};

constexpr Column<SensitivityRow> sensitivity_columns[] = {
    {common::stage, [](const SensitivityRow& r) -> Cell { return r.stage; }},
    {common::batches_per_s, [](const SensitivityRow& r) { return optional_cell(r.throughput_per_s); }},
    {"gain", "Gain", [](const SensitivityRow& r) { return optional_cell(r.gain); },
     "Change of the throughput, as a ratio to it, if the stage took 10 % less time: 0.11 where the stage alone is the "
     "bottleneck, 0 where it is not."},
    {common::makespan_us, [](const SensitivityRow& r) -> Cell { return Duration(r.makespan); }},
};

struct InterferenceRow {
  std::string stage, beside;
  double factor, p_value;
};

constexpr Column<InterferenceRow> found_columns[] = {
    {common::stage, [](const InterferenceRow& r) -> Cell { return r.stage; }},
    {common::beside, [](const InterferenceRow& r) -> Cell { return r.beside; }},
    {common::factor, [](const InterferenceRow& r) -> Cell { return r.factor; }},
    {common::p_value, [](const InterferenceRow& r) -> Cell { return r.p_value; }},
};

struct ExtrapolatedRow {
  std::string stage, beside;
  double before, after;
};

constexpr Column<ExtrapolatedRow> extrapolated_columns[] = {
    {common::stage, [](const ExtrapolatedRow& r) -> Cell { return r.stage; }},
    {common::beside, [](const ExtrapolatedRow& r) -> Cell { return r.beside; }},
    {"overlap_before", "Overlap before", [](const ExtrapolatedRow& r) -> Cell { return r.before; },
     "Time of the executions beside the stage over the stage's own time, as recorded; 2 is two at once."},
    {"overlap_after", "Overlap after", [](const ExtrapolatedRow& r) -> Cell { return r.after; },
     "Time of the executions beside the stage over the stage's own time, after the changes; 2 is two at once. The "
     "record does not show what more of it does, so the prediction leaves that out."},
};

constexpr Column<CoreUse> core_columns[] = {
    {"cores", "Cores", [](const CoreUse& r) -> Cell { return std::int64_t{r.cores}; },
     "Logical cores that the recorded run could use."},
    {"threads_recorded", "Threads recorded", [](const CoreUse& r) -> Cell { return r.recorded; },
     "Most threads of executions on the CPU at the same time, in the record."},
    {"threads_predicted", "Threads predicted", [](const CoreUse& r) -> Cell { return r.predicted; },
     "Most threads of executions on the CPU at the same time, after the changes. Where they are more than the cores, "
     "the prediction takes the system to share the cores fairly."},
};

constexpr TableDefinition<WhatIfRow> summary_definition{
    "summary", "The recorded run, its replay without a change, and the run with all changes: a row each.",
    summary_columns};
constexpr TableDefinition<WhatIfRow> sweeps_definition{
    "sweep", "The run with each value of --sweep on top of the changes: a row per value.", summary_columns};
constexpr TableDefinition<SensitivityRow> sensitivities_definition{
    "sensitivity", "What the run, after the changes, would be if one stage took 10 % less time: a row per stage.",
    sensitivity_columns};
constexpr TableDefinition<InterferenceRow> interferences_definition{
    "interference", "Slow-downs that the overlaps of the recorded run show: a row per pair of stages.", found_columns};
constexpr TableDefinition<ExtrapolatedRow> extrapolated_definition{
    "extrapolated",
    "Stages that overlap after the changes as never in the record, "
    "so that what it does to them is not known: a row per pair of "
    "stages.",
    extrapolated_columns};
constexpr TableDefinition<CoreUse> core_use_table{
    "cores", "Threads against the machine's cores: one row, none where the trace does not tell.", core_columns};

std::string warnings(const WhatIf& result) {
  std::string text;
  if (result.refused_error) {
    text += fmt::format(
        "The measured slow-downs are left out: with them the replay is {:.1f} % off, so\nthey were measured under "
        "other conditions than the run. Measure them again.\n",
        *result.refused_error * 100);
  }
  if (result.cores && result.cores->predicted > result.cores->cores) {
    text += fmt::format(
        "More threads than cores: up to {} on {} after the change, {} as recorded. Whom\nthe system lets wait is not "
        "in the record; it is taken to be fair.\n",
        result.cores->predicted, result.cores->cores, result.cores->recorded);
  }
  if (!result.extrapolated.empty())
    text +=
        "Extrapolated: the stages in the last table overlap as never in the record, and\nwhat that does to them is not "
        "known. Measure it with 'takt pipeline\ninterference FILE.yaml --save SLOW', then add --interference SLOW "
        "here.\n";
  return text;
}

std::string one_line(const WhatIf& result) {
  const WhatIfRow &before = result.summary[0], &after = result.summary[2];
  const double change =
      before.makespan.count() == 0
          ? 0
          : static_cast<double>(after.makespan.count()) / static_cast<double>(before.makespan.count()) - 1;
  return fmt::format("Makespan {:+.1f} %; the replay without a change is {:.2f} % off.\n", change * 100,
                     before.replay_error * 100);
}

}  // namespace

WhatIf what_if(const PipelineRun& run, std::span<const PipelineChange> changes, std::span<const PipelineChange> sweep,
               std::span<const PairRow> measured) {
  WhatIf result;
  for (const auto& stage : run.stages) result.stages.push_back(stage.name);
  const KnownContention known = known_contention(run, measured);
  const ContentionLaw& law = known.law;
  result.interference = known.found;
  const PipelineRun again = replay(run, {}, law);
  const double error = replay_error(run, again);
  const PipelineRun after = replay(run, changes, law);
  result.summary = {row_of("before", run, error), row_of("replayed", again, error), row_of("after", after, error)};
  result.extrapolated = extrapolations(run, after, known);
  result.cores = core_use(run, after);
  result.refused_error = known.refused_error;
  for (const PipelineChange& change : sweep)
    result.sweep.push_back(row_of(change.text, replay(run, with(changes, change), law), error));
  for (std::size_t s = 0; s < run.stages.size(); ++s)
    result.sensitivity.push_back(sensitivity(run, changes, law, s, result.summary[2]));
  return result;
}

std::vector<Table> tables(const WhatIf& result) {
  std::vector<InterferenceRow> found;
  for (const auto& entry : result.interference)
    found.push_back(
        {result.stages[index(entry.stage)], result.stages[index(entry.beside)], entry.factor, entry.p_value});
  std::vector<ExtrapolatedRow> beyond;
  for (const auto& entry : result.extrapolated)
    beyond.push_back(
        {result.stages[index(entry.stage)], result.stages[index(entry.beside)], entry.before, entry.after});
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

std::string to_text(const WhatIf& result, const TextStyle& style) {
  std::string text = one_line(result) + warnings(result);
  for (const Table& table : tables(result)) {
    if (!table.rows.empty() && table.name != core_use_table.name) text += "\n" + to_text(table, style);
  }
  return text;
}

}  // namespace takt
