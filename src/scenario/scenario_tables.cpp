#include "training/scenario/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/table/common_columns.h"
#include "base/basics/text.h"

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
     "The training that was run, by its planted fault: dataloader, sync, tiny_ops, memory_churn."},
    {"strength", "Strength", [](const ScenarioOutcome& r) -> Cell { return std::string(name_of(r.settings.strength)); },
     "How much of the fault of a training is planted: none, mild, strong."},
    {"trained_on", "Trained on", [](const ScenarioOutcome& r) -> Cell { return r.run.device; },
     "The kind of device that the training really ran on: cpu or cuda."},
    {"avg_step_time_s", "Step s", [](const ScenarioOutcome& r) -> Cell { return mean_step_s(r.run); },
     "Mean time of a recorded training step in seconds, the wait for its batch and the device's work included."},
    {"avg_dataloader_wait_s", "Data wait s", [](const ScenarioOutcome& r) -> Cell { return mean_wait_s(r.run); },
     "Mean time in seconds that a training step waits for its batch."},
    {"data_wait_percent", "Data wait %",
     [](const ScenarioOutcome& r) -> Cell {
       return r.figures.data_wait_share ? Cell(100 * *r.figures.data_wait_share) : Cell();
     },
     "Share of the training steps' time that is waiting for a batch while no device works, in %, from the trace."},
    {"reads_per_step", "Reads", [](const ScenarioOutcome& r) { return optional_cell(r.figures.reads_per_step); },
     "Values that a training step reads back from the device, or would with one (item, nonzero), on average."},
    {"operators_per_step", "Operators",
     [](const ScenarioOutcome& r) { return optional_cell(r.figures.operators_per_step); },
     "Operators that a training step calls, those that others call included, on average."},
    {"bytes_per_step", "Bytes taken", [](const ScenarioOutcome& r) { return optional_cell(r.figures.bytes_per_step); },
     "Bytes of memory that a training step takes from the allocator, given back or not, on average; missing where the "
     "trace holds no memory."},
    {"training_trace", "Trace", [](const ScenarioOutcome& r) -> Cell { return r.run.trace_file; },
     "The trace file that the training left."},
};

constexpr Column<OperatorRow> operator_columns[] = {
    {"training_operator", "Operator", [](const OperatorRow& r) -> Cell { return r.one->name; },
     "An operator of a training, as the framework calls it."},
    {"calls_per_step", "Calls",
     [](const OperatorRow& r) -> Cell {
       return static_cast<double>(r.one->calls) / static_cast<double>(std::max<std::int64_t>(1, r.steps));
     },
     "How many times a training step calls the operator, on average."},
    {"self_per_step_us", "Self time",
     [](const OperatorRow& r) -> Cell {
       return Duration(static_cast<double>(r.one->self_ns) / 1000 /
                       static_cast<double>(std::max<std::int64_t>(1, r.steps)));
     },
     "Mean time per training step of the operator itself, without the operators that it calls: of the device's work "
     "that it launches, or on a processor of its own calls."},
    {"self_percent", "Self %",
     [](const OperatorRow& r) -> Cell {
       return r.all->total_ns == 0
                  ? Cell()
                  : Cell(100 * static_cast<double>(r.one->self_ns) / static_cast<double>(r.all->total_ns));
     },
     "Share of the operator's own time in that of all operators of the training, in %."},
    {"self_time_of", "Time of",
     [](const OperatorRow& r) -> Cell { return std::string(r.all->is_of_device ? "device" : "cpu"); },
     "Whose time an operator's own time is: device, or cpu where the trace holds no device's work."},
};

constexpr TableDefinition<ScenarioOutcome> scenario_definition{
    "scenario", "The training that was run, with one figure for each fault that can be planted: one row.",
    scenario_columns};
constexpr TableDefinition<OperatorRow> operators_definition{
    "top_operators", "Operators of the training by their own time, the dearest first: a row per name.",
    operator_columns};

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
  text += wrapped(fmt::format(
                      "{} ({}), {} steps on {}, recorded by {} of libtorch {}. Per step: {} waiting for data, {} "
                      "values read back, {} operators, {} of memory taken.",
                      name_of(outcome.settings.scenario), name_of(outcome.settings.strength), run.step_times.size(),
                      run.device, run.profiler, run.torch_version,
                      outcome.figures.data_wait_share ? fmt::format("{:.1f} %", 100 * *outcome.figures.data_wait_share)
                                                      : "–",
                      per_step(outcome.figures.reads_per_step), per_step(outcome.figures.operators_per_step),
                      outcome.figures.bytes_per_step ? format_bytes(*outcome.figures.bytes_per_step) : "–"),
                  style.width) +
          "\n\n";
  Table shown = table_named(scenario_tables(outcome, operators), "top_operators");
  shown.rows.resize(std::min(shown.rows.size(), most_shown));
  text += operators.is_of_device ? "Top operators by self time of the device:\n"
                                 : "Top operators by self time of the CPU (there is no device in the trace):\n";
  text +=
      to_text(some_columns(shown, {"training_operator", "calls_per_step", "self_per_step_us", "self_percent"}), style);
  return text;
}

}  // namespace takt
