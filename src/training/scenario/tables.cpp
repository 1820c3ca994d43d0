#include "training/scenario/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"
#include "base/table/common_columns.h"

namespace takt {
namespace {

constexpr std::size_t most_shown = 10;

struct OperatorRow {
  const OperatorTime* one;
  const OperatorTimes* all;
  std::int64_t steps;
};

constexpr Column<ScenarioOutcome> scenario_columns[] = {
    {"scenario", "Scenario", [](const ScenarioOutcome& r) -> Cell { return std::string(name_of(r.settings.scenario)); },
     "The training that ran, by its injected problem: dataloader, sync, tiny_ops, memory_churn."},
    {"strength", "Strength", [](const ScenarioOutcome& r) -> Cell { return std::string(name_of(r.settings.strength)); },
     "Strength of the injected problem: none, mild, strong."},
    {"trained_on", "Trained on", [](const ScenarioOutcome& r) -> Cell { return r.run.device; },
     "Kind of device that the training ran on: cpu or cuda."},
    {"avg_step_time_s", "Step s", [](const ScenarioOutcome& r) -> Cell { return mean_step_s(r.run); },
     "Mean time of a recorded training step in seconds, including the wait for its batch and the device's work."},
    {"avg_dataloader_wait_s", "Data wait s", [](const ScenarioOutcome& r) -> Cell { return mean_wait_s(r.run); },
     "Mean time in seconds that a training step waits for its batch."},
    {"data_wait_percent", "Data wait %",
     [](const ScenarioOutcome& r) -> Cell {
       return r.figures.data_wait_share ? Cell(100 * *r.figures.data_wait_share) : Cell();
     },
     "Share of step time in which the training waits for a batch and no device works, in %, from the trace."},
    {"reads_per_step", "Host reads", [](const ScenarioOutcome& r) { return optional_cell(r.figures.reads_per_step); },
     "Mean number of values that a training step reads back from the device, or would with one (item, nonzero)."},
    {"operators_per_step", "Operators",
     [](const ScenarioOutcome& r) { return optional_cell(r.figures.operators_per_step); },
     "Mean number of operators that a training step calls, including those called by other operators."},
    {"bytes_per_step", "Allocated", [](const ScenarioOutcome& r) { return optional_cell(r.figures.bytes_per_step); },
     "Mean bytes of memory that a training step allocates, whether it frees them or not; empty if the trace has no "
     "memory events."},
    {"training_trace", "Trace", [](const ScenarioOutcome& r) -> Cell { return r.run.trace_file; },
     "The trace file that the training wrote."},
};

constexpr Column<OperatorRow> operator_columns[] = {
    {"training_operator", "Operator", [](const OperatorRow& r) -> Cell { return r.one->name; },
     "An operator of a training, as the framework names it."},
    {"calls_per_step", "Calls",
     [](const OperatorRow& r) -> Cell {
       return static_cast<double>(r.one->calls) / static_cast<double>(std::max<std::int64_t>(1, r.steps));
     },
     "Mean number of calls of the operator per training step."},
    {"self_per_step_us", "Self time",
     [](const OperatorRow& r) -> Cell {
       return Duration(static_cast<double>(r.one->self_ns) / 1000 /
                       static_cast<double>(std::max<std::int64_t>(1, r.steps)));
     },
     "Mean self time of the operator per training step, without the operators that it calls: time of the device work "
     "that it launches, or CPU time of its calls."},
    {"self_percent", "Self %",
     [](const OperatorRow& r) -> Cell {
       return r.all->total_ns == 0
                  ? Cell()
                  : Cell(100 * static_cast<double>(r.one->self_ns) / static_cast<double>(r.all->total_ns));
     },
     "Share of the operator's self time in that of all operators of the training, in %."},
    {"self_time_of", "Clock",
     [](const OperatorRow& r) -> Cell { return std::string(r.all->is_of_device ? "device" : "cpu"); },
     "Where self time was measured: device, or cpu if the trace has no device work."},
};

constexpr TableDefinition<ScenarioOutcome> scenario_definition{
    "scenario", "The training that ran, with one metric for each problem that can be injected: one row.",
    scenario_columns};
constexpr TableDefinition<OperatorRow> operators_definition{
    "top_operators", "Operators of the training by self time, most expensive first: a row per name.", operator_columns};

}  // namespace

std::vector<Table> scenario_tables(const ScenarioOutcome& outcome, const OperatorTimes& operators) {
  std::vector<OperatorRow> rows;
  for (const OperatorTime& one : operators.list) rows.push_back({&one, &operators, outcome.figures.steps});
  return {scenario_definition.make(std::span(&outcome, 1)), operators_definition.make(rows)};
}

std::vector<TableSchema> scenario_schemas() { return {scenario_definition.schema(), operators_definition.schema()}; }

std::string scenario_text(const ScenarioOutcome& outcome, const OperatorTimes& operators, const TextStyle& style) {
  const TrainingRun& run = outcome.run;
  const auto per_step = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.0f}", *value) : std::string("–");
  };
  std::string text = fmt::format("avg_step_time_s        {:.6f}\navg_dataloader_wait_s  {:.6f}\n\n", mean_step_s(run),
                                 mean_wait_s(run));
  text +=
      wrapped(
          fmt::format(
              "{} ({}), {} steps on {}, recorded by {} of libtorch {}. Per step: {} waiting for data, {} values read "
              "back, {} operators, {} of memory allocated.",
              name_of(outcome.settings.scenario), name_of(outcome.settings.strength), run.step_times.size(), run.device,
              run.profiler, run.torch_version,
              outcome.figures.data_wait_share ? fmt::format("{:.1f} %", 100 * *outcome.figures.data_wait_share) : "–",
              per_step(outcome.figures.reads_per_step), per_step(outcome.figures.operators_per_step),
              outcome.figures.bytes_per_step ? format_bytes(*outcome.figures.bytes_per_step) : "–"),
          style.width) +
      "\n\n";
  Table shown = table_named(scenario_tables(outcome, operators), "top_operators");
  shown.rows.resize(std::min(shown.rows.size(), most_shown));
  text += operators.is_of_device ? "Top operators by device self time:\n"
                                 : "Top operators by CPU self time (the trace has no device work):\n";
  text +=
      to_text(some_columns(shown, {"training_operator", "calls_per_step", "self_per_step_us", "self_percent"}), style);
  return text;
}

}  // namespace takt
