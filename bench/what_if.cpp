// Predicts changed pipelines from the record of the unchanged one, and runs them really (on simulated devices, with
// noise of their own): prints the first tables of bench/what_if.md. Exit code 1 when a prediction is more than 5 % off.
#include <fmt/format.h>

#include <cmath>

#include "pipeline/whatif/replay.h"
#include "pipeline/whatif/what_if_cases.h"

namespace takt {
namespace {

double makespan_ms(const PipelineRun& run) { return static_cast<double>(run.schedule.makespan().count()) / 1e6; }

double print_row(const WhatIfCase& one) {
  const PipelineRun recorded = run_truth(one.truth);
  const double predicted = makespan_ms(one.predict(recorded)), really = makespan_ms(one.run_changed());
  fmt::print("| {} | {} | {:.1f} ms | {:.1f} ms | {:.1f} ms | {:.1f} ms | {:+.2f} % |\n", one.kind, one.name,
             makespan_ms(recorded), makespan_ms(replay(recorded, {})), predicted, really,
             (predicted / really - 1) * 100);
  return std::abs(predicted / really - 1);
}

double print_table(const std::vector<WhatIfCase>& cases) {
  fmt::print("| kind | what was changed | before | replayed | predicted | really | error |\n");
  fmt::print("|---|---|---:|---:|---:|---:|---:|\n");
  double worst = 0;
  for (const WhatIfCase& one : cases) worst = std::max(worst, print_row(one));
  return worst;
}

int print_tables() {
  const double worst = print_table(what_if_cases());
  fmt::print("\nThe largest error is {:.2f} %.\n\nWhere takt says that it extrapolates:\n\n", worst * 100);
  print_table(what_if_limits());
  return worst > 0.05 ? 1 : 0;
}

}  // namespace
}  // namespace takt

int main() { return takt::print_tables(); }
