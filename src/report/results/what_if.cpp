#include "report/results/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "pipeline/whatif/replay_grid.h"
#include "report/results/headline.h"
#include "report/timelines/timeline.h"

namespace takt {
namespace {

/// "stage.infer.time" is the knob "time".
std::string knob_label(const std::string& key) {
  const std::string label = key.substr(key.rfind('.') + 1);
  return label == "in_flight" ? "batches in flight" : label;
}

TableSchema answer_schema() {
  for (TableSchema& schema : what_if_schemas())
    if (schema.name == "summary") return std::move(schema);
  return {};
}

/// Without "variant", which is "after" in every row.
ReportTable answers_of(const std::vector<WhatIfRow>& rows) {
  Table table = answers_table(rows);
  table.columns.erase(table.columns.begin());
  for (auto& row : table.rows) row.erase(row.begin());
  return {answer_schema(), std::move(table)};
}

/// What half the time of the stage that sets the beat brings.
std::string title_of(const std::vector<KnobGroup>& groups, const std::string& bottleneck) {
  for (const KnobGroup& group : groups) {
    if (group.target != bottleneck || group.knobs.size() != 3) continue;
    const auto& times = group.knobs[0].values;
    const auto half = static_cast<std::size_t>(std::find(times.begin(), times.end(), "x0.5") - times.begin());
    const WhatIfRow& row = group.answers[answer_of(group, {half, group.knobs[1].recorded, group.knobs[2].recorded})];
    if (!row.cycle) return {};
    return fmt::format("{} twice as fast: a batch every {}; {} {} the beat", bottleneck, shown_time(*row.cycle),
                       row.bottleneck, row.bottleneck == bottleneck ? "still sets" : "then sets");
  }
  return {};
}

/// Of the run as it is: the source's group has it.
std::string bottleneck_of(const std::vector<KnobGroup>& groups) {
  return groups.empty() ? "" : groups.back().answers[groups.back().knobs.front().recorded].bottleneck;
}

}  // namespace

ReportAnswers what_if_answers(const PipelineRun& run, const std::string& trace) {
  ReportAnswers answers;
  answers.command = "takt pipeline whatif " + (trace.empty() ? "TRACE" : trace);
  const auto groups = replay_grid(run);
  for (const KnobGroup& group : groups) {
    ReportWhatIf one{group.target.empty() ? "source" : group.target, {}, answers_of(group.answers)};
    for (const GridKnob& knob : group.knobs)
      one.knobs.push_back({knob.key, knob_label(knob.key), knob.values, knob.recorded});
    answers.groups.push_back(std::move(one));
  }
  answers.title = title_of(groups, bottleneck_of(groups));
  if (groups.empty())
    answers.missing = fmt::format(
        "No changes to try: the run is too long to answer them beforehand. {} --set "
        "stage.NAME.time=x0.5 answers one.",
        answers.command);
  return answers;
}

BesideTables beside_tables(const PipelineRun& run, const std::string& trace) {
  BesideTables beside{what_if_answers(run, trace)};
  if (run.schedule.executions.size() > most_report_spans) return beside;
  std::vector<std::string> stages;
  for (const RunStage& stage : run.stages) stages.push_back(stage.name);
  beside.timeline = shown_timeline(to_trace(run), stages);
  return beside;
}

}  // namespace takt
