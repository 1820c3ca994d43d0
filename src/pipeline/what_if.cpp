#include "pipeline/what_if.h"

#include <fmt/format.h>

#include "pipeline/account.h"

namespace takt {
namespace {

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

WhatIfRow row_of(std::string variant, const PipelineRun& run, double replay_error) {
  const Accounts accounts = account(run);
  WhatIfRow row;
  row.variant = std::move(variant);
  row.makespan = run.schedule.makespan();
  row.cycle = accounts.cycle;
  row.latency = accounts.latency.mean;
  row.throughput_per_s = accounts.throughput_per_s;
  if (accounts.bottleneck) row.bottleneck = accounts.stages[at(*accounts.bottleneck)].name;
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

constexpr std::string_view replay_error_meaning =
    "How far the replay of the recorded run without any change misses its makespan, relative to it. What a prediction "
    "adds to that is not known beforehand.";

constexpr Column<WhatIfRow> summary_columns[] = {
    {"variant", "variant", [](const WhatIfRow& r) -> Cell { return r.variant; },
     "before: as recorded; replayed: the recorded times through the same rules without a change; after: with all "
     "changes; in a sweep, the change on top of them."},
    {"makespan_us", "makespan", [](const WhatIfRow& r) -> Cell { return Duration(r.makespan); },
     "From the first arrival to the last delivery."},
    {"cycle_us", "cycle", [](const WhatIfRow& r) { return optional_cell(r.cycle); },
     "Median time between two deliveries when the pipeline is full."},
    {"throughput_per_s", "batches/s", [](const WhatIfRow& r) { return optional_cell(r.throughput_per_s); },
     "Batches per second between fill and drain."},
    {"latency_us", "latency", [](const WhatIfRow& r) { return optional_cell(r.latency); },
     "Mean time of a batch from its arrival to its delivery."},
    {"bottleneck", "bottleneck",
     [](const WhatIfRow& r) -> Cell { return r.bottleneck.empty() ? Cell() : r.bottleneck; },
     "The stage that allows the fewest batches per second."},
    {"replay_error", "replay error", [](const WhatIfRow& r) -> Cell { return r.replay_error; }, replay_error_meaning},
};

constexpr Column<SensitivityRow> sensitivity_columns[] = {
    {"stage", "stage", [](const SensitivityRow& r) -> Cell { return r.stage; }, "Name of the stage."},
    {"throughput_per_s", "batches/s", [](const SensitivityRow& r) { return optional_cell(r.throughput_per_s); },
     "Batches per second if the stage took 10 % less time."},
    {"gain", "gain", [](const SensitivityRow& r) { return optional_cell(r.gain); },
     "Relative change of the throughput if the stage took 10 % less time: 0.11 where it alone is the bottleneck, 0 "
     "where it is not."},
    {"makespan_us", "makespan", [](const SensitivityRow& r) -> Cell { return Duration(r.makespan); },
     "The makespan if the stage took 10 % less time."},
};

struct InterferenceRow {
  std::string stage, beside;
  double factor, p_value;
};

constexpr Column<InterferenceRow> found_columns[] = {
    {"stage", "stage", [](const InterferenceRow& r) -> Cell { return r.stage; }, "The stage that is slowed down."},
    {"beside", "beside", [](const InterferenceRow& r) -> Cell { return r.beside; }, "The stage that runs beside it."},
    {"factor", "slow-down", [](const InterferenceRow& r) -> Cell { return r.factor; },
     "How many times as long the stage takes while the other runs, estimated from the overlaps of the run."},
    {"p_value", "p", [](const InterferenceRow& r) -> Cell { return r.p_value; },
     "Share of random permutations of the durations that showed as much."},
};

struct ExtrapolatedRow {
  std::string stage, beside;
  double before, after;
};

constexpr Column<ExtrapolatedRow> extrapolated_columns[] = {
    {"stage", "stage", [](const ExtrapolatedRow& r) -> Cell { return r.stage; },
     "The stage that may be slowed down by another amount than in the record."},
    {"beside", "beside", [](const ExtrapolatedRow& r) -> Cell { return r.beside; }, "The stage that runs beside it."},
    {"overlap_before", "overlap before", [](const ExtrapolatedRow& r) -> Cell { return r.before; },
     "Time of the other's executions beside the stage over the stage's own time, as recorded; 2 is two at once."},
    {"overlap_after", "overlap after", [](const ExtrapolatedRow& r) -> Cell { return r.after; },
     "The same after the changes. The record does not show what that does, so the prediction leaves it out."},
};

constexpr Column<CoreUse> core_columns[] = {
    {"cores", "cores", [](const CoreUse& r) -> Cell { return std::int64_t{r.cores}; },
     "Logical cores that the run could use."},
    {"threads_recorded", "threads recorded", [](const CoreUse& r) -> Cell { return r.recorded; },
     "Threads of executions on the CPU at the same time, at most, in the record."},
    {"threads_predicted", "threads predicted", [](const CoreUse& r) -> Cell { return r.predicted; },
     "The same after the changes. More than cores: the prediction takes the system to share them fairly."},
};

std::string warnings(const WhatIf& result) {
  std::string text;
  if (result.refused_error) {
    text += fmt::format(
        "The measured slow-downs are left out: with them the replay is {:.1f} % off, so\n"
        "they were measured under other conditions than the run. Measure them again.\n",
        *result.refused_error * 100);
  }
  if (result.cores && result.cores->predicted > result.cores->cores) {
    text += fmt::format(
        "More threads than cores: up to {} on {} after the change, {} as recorded. Whom\n"
        "the system lets wait is not in the record; it is taken to be fair.\n",
        result.cores->predicted, result.cores->cores, result.cores->recorded);
  }
  if (!result.extrapolated.empty())
    text +=
        "Extrapolated: the stages in the last table overlap as never in the record, and\n"
        "what that does to them is not known. Measure it with 'takt pipeline\n"
        "interference FILE.yaml --save SLOW', then add --interference SLOW here.\n";
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
    found.push_back({result.stages[at(entry.stage)], result.stages[at(entry.beside)], entry.factor, entry.p_value});
  std::vector<ExtrapolatedRow> beyond;
  for (const auto& entry : result.extrapolated)
    beyond.push_back({result.stages[at(entry.stage)], result.stages[at(entry.beside)], entry.before, entry.after});
  std::vector<CoreUse> cores;
  if (result.cores) cores.push_back(*result.cores);
  return {make_table<WhatIfRow>("summary", summary_columns, result.summary),
          make_table<WhatIfRow>("sweep", summary_columns, result.sweep),
          make_table<SensitivityRow>("sensitivity", sensitivity_columns, result.sensitivity),
          make_table<InterferenceRow>("interference", found_columns, found),
          make_table<ExtrapolatedRow>("extrapolated", extrapolated_columns, beyond),
          make_table<CoreUse>("cores", core_columns, cores)};
}

std::vector<std::string> what_if_table_names() {
  return {"summary", "sweep", "sensitivity", "interference", "extrapolated", "cores"};
}

std::vector<ColumnInfo> what_if_columns() {
  std::vector<ColumnInfo> columns;
  for (const Table& table : tables(WhatIf{})) columns.insert(columns.end(), table.columns.begin(), table.columns.end());
  return columns;
}

std::string to_text(const WhatIf& result) {
  std::string text = one_line(result) + warnings(result);
  for (const Table& table : tables(result)) {
    if (!table.rows.empty() && table.name != "cores") text += "\n" + to_text(table);
  }
  return text;
}

}  // namespace takt
