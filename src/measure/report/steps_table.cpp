#include "measure/report/steps_table.h"

#include <algorithm>
#include <vector>

#include "measure/report/statistic_cell.h"

namespace takt {
namespace {

struct StepRow {
  std::int64_t step = 1;
  std::vector<Nanoseconds> samples = {};
};

constexpr Column<StepRow> steps_columns[] = {
    {"state_step", "Step", [](const StepRow& r) -> Cell { return r.step; },
     "Number of the run since the model's state was reset, from 1."},
    {"step_runs", "Runs", [](const StepRow& r) -> Cell { return static_cast<std::int64_t>(r.samples.size()); },
     "Measured runs at the step of the row."},
    {"step_median_us", "Median", [](const StepRow& r) { return statistic_cell(r.samples, &Summary::median); },
     "Median time of the runs at the step of the row."},
    {"step_max_us", "Max", [](const StepRow& r) { return statistic_cell(r.samples, &Summary::max); },
     "Longest run at the step of the row."},
};

constexpr TableDefinition<StepRow> steps_definition{
    "steps",
    "Time by step of a model whose state is kept from run to run (--keep-state): a row per step since the reset.",
    steps_columns};

}  // namespace

std::optional<Table> steps_table(const RunResult& result) {
  const auto& pass = result.plain ? result.plain : result.profiled;
  if (!result.state_steps || !pass) return std::nullopt;
  const auto steps = static_cast<std::size_t>(*result.state_steps);
  std::vector<StepRow> rows(std::min(steps, pass->samples.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].step = static_cast<std::int64_t>(i) + 1;
  for (std::size_t i = 0; i < pass->samples.size(); ++i) rows[i % steps].samples.push_back(pass->samples[i]);
  return steps_definition.make(rows);
}

TableSchema steps_schema() { return steps_definition.schema(); }

}  // namespace takt
