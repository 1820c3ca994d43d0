#include "pipeline/record/slow_start.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/basics/units.h"
#include "pipeline/record/skipped_visits.h"

namespace takt {
namespace {

/// By stage, of the batches that passed it; 0 where none did.
std::vector<Nanoseconds> median_times(const PipelineRun& run, const SkippedVisits& skipped) {
  const std::size_t stages = run.stages.size();
  std::vector<Nanoseconds> medians;
  for (std::size_t s = 0; s < stages; ++s) {
    std::vector<Nanoseconds> times;
    for (std::size_t b = 0; b < run.schedule.batches.size(); ++b)
      if (const VisitRecord& visit = run.schedule.visits[b * stages + s]; !skipped.at(b, s))
        times.push_back(visit.done - visit.started);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    medians.push_back(times.empty() ? Nanoseconds{} : *middle);
  }
  return medians;
}

}  // namespace

std::int64_t slow_start(const PipelineRun& run) {
  constexpr std::int64_t much_longer = 3;
  const SkippedVisits skipped(run);
  const std::vector<Nanoseconds> medians = median_times(run, skipped);
  const std::size_t stages = run.stages.size(), batches = run.schedule.batches.size();
  const auto is_slow = [&](std::size_t b) {
    for (std::size_t s = 0; s < stages; ++s) {
      const VisitRecord& visit = run.schedule.visits[b * stages + s];
      if (medians[s].count() > 0 && (visit.done - visit.started) / much_longer > medians[s]) return true;
    }
    return false;
  };
  std::size_t slow = 0;
  while (2 * slow < batches && is_slow(slow)) ++slow;
  if (slow == 0) return 0;
  const Nanoseconds started_up = run.schedule.batches[slow - 1].delivered;
  while (slow < batches && run.schedule.batches[slow].arrived < started_up) ++slow;
  return 2 * slow > batches ? 0 : static_cast<std::int64_t>(slow);
}

}  // namespace takt
