#include "pipeline/record/copied_executions.h"

#include <map>
#include <tuple>

namespace takt {

std::vector<std::size_t> copied_executions(const PipelineRun& run) {
  const auto& executions = run.schedule.executions;
  std::vector<std::size_t> places(run.copies.size(), executions.size());
  if (run.copies.empty()) return places;
  std::multimap<std::tuple<std::int64_t, int, int>, std::size_t> copies;
  for (std::size_t c = 0; c < run.copies.size(); ++c)
    copies.emplace(std::tuple(run.copies[c].batch, run.copies[c].stage, run.copies[c].part), c);
  for (std::size_t e = 0; e < executions.size(); ++e) {
    const Execution& what = executions[e].what;
    if (what.phase != FlowPhase::run) continue;
    const auto [first, last] = copies.equal_range(std::tuple(what.batch, what.stage, what.part));
    for (auto copy = first; copy != last; ++copy) places[copy->second] = e;
  }
  return places;
}

}  // namespace takt
