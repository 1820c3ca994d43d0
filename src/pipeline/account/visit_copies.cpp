#include "pipeline/account/visit_copies.h"

#include <algorithm>

#include "base/basics/index.h"

namespace takt {

VisitCopies visit_copies(const PipelineRun& run) {
  VisitCopies copies;
  if (run.copies.empty()) return copies;
  const auto& visits = run.schedule.visits;
  copies.before.assign(visits.size(), 0);
  copies.after.assign(visits.size(), 0);
  // Copies come by their starts, so the latest end so far of each side makes a union of them.
  std::vector<std::int64_t> before_until, after_until;
  for (const VisitRecord& visit : visits) {
    before_until.push_back(visit.entered.count());
    after_until.push_back(visit.done.count());
  }
  for (const CopySpan& copy : run.copies) {
    if (copy.batch >= static_cast<std::int64_t>(run.schedule.batches.size())) continue;
    const std::size_t v = static_cast<std::size_t>(copy.batch) * run.stages.size() + index(copy.stage);
    std::int64_t& until = copy.of_outputs ? after_until[v] : before_until[v];
    const std::int64_t last = (copy.of_outputs ? visits[v].left : visits[v].started).count();
    const std::int64_t start = std::max<std::int64_t>(copy.start.count(), until);
    const std::int64_t end = std::min<std::int64_t>(copy.end.count(), last);
    if (end <= start) continue;
    (copy.of_outputs ? copies.after : copies.before)[v] += end - start;
    until = end;
  }
  return copies;
}

}  // namespace takt
