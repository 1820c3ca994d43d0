// Predicts changed pipelines from the record of the unchanged one, and runs them really (on simulated devices, with
// noise of their own): prints the table of docs/what-if.md. Exit code 1 when a prediction is more than 5 % off.
#include <fmt/format.h>

#include <cmath>

#include "pipeline/replay.h"
#include "pipeline/what_if_cases.h"

namespace takt {
namespace {

double makespan_ms(const PipelineRun& run) { return static_cast<double>(run.schedule.makespan().count()) / 1e6; }

int print_table() {
  fmt::print("| kind | what was changed | before | replayed | predicted | really | error |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|\n");
  double worst = 0;
  for (const WhatIfCase& one : what_if_cases()) {
    const PipelineRun recorded = run_truth(one.truth);
    std::vector<PipelineChange> changes;
    for (const auto& text : one.changes) changes.push_back(parse_change(text));
    const double predicted = makespan_ms(replay(recorded, changes)), really = makespan_ms(one.run_changed());
    const double error = predicted / really - 1;
    worst = std::max(worst, std::abs(error));
    fmt::print("| {} | {} | {:.1f} ms | {:.1f} ms | {:.1f} ms | {:.1f} ms | {:+.2f} % |\n", one.kind, one.name,
               makespan_ms(recorded), makespan_ms(replay(recorded, {})), predicted, really, error * 100);
  }
  fmt::print("\nThe largest error is {:.2f} %.\n", worst * 100);
  return worst > 0.05 ? 1 : 0;
}

}  // namespace
}  // namespace takt

int main() { return takt::print_table(); }
