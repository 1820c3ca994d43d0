#include "pipeline/account/stage_columns.h"

#include <algorithm>

#include "base/memory/large_pages.h"
#include "base/statistics/sorting.h"
#include "pipeline/record/skipped_visits.h"

namespace takt {
namespace {

constexpr std::size_t block = 256;  // batches whose visits stay in the cache while each stage takes its own

void leave_out(const SkippedVisits& skipped, std::size_t s, StageColumns& stage) {
  for (auto* column : {&stage.entered, &stage.started, &stage.done, &stage.left}) {
    std::size_t kept = 0;
    for (std::size_t b = 0; b < column->size(); ++b)
      if (!skipped.at(b, s)) (*column)[kept++] = (*column)[b];
    column->resize(kept);
  }
}

}  // namespace

std::vector<StageColumns> stage_columns(const PipelineRun& run) {
  const std::size_t batches = run.schedule.batches.size(), count = run.stages.size();
  std::vector<StageColumns> stages(count);
  for (StageColumns& stage : stages) {
    for (auto* column : {&stage.entered, &stage.started, &stage.done, &stage.left}) reserve_large(*column, batches);
  }
  for (std::size_t first = 0; first < batches; first += block) {
    const std::size_t last = std::min(first + block, batches);
    for (std::size_t s = 0; s < count; ++s) {
      StageColumns& stage = stages[s];
      const VisitRecord* visit = run.schedule.visits.data() + first * count + s;
      for (std::size_t b = first; b < last; ++b, visit += count) {
        stage.entered.push_back(visit->entered.count());
        stage.started.push_back(visit->started.count());
        stage.done.push_back(visit->done.count());
        stage.left.push_back(visit->left.count());
      }
    }
  }
  return stages;
}

void sort_times(std::vector<std::int64_t>& times) { sort_nearly_sorted(times); }

void sort_columns(const PipelineRun& run, std::vector<StageColumns>& stages) {
  if (const SkippedVisits skipped(run); skipped.any())
    for (std::size_t s = 0; s < stages.size(); ++s) leave_out(skipped, s, stages[s]);
  for (StageColumns& stage : stages) {
    for (auto* column : {&stage.entered, &stage.started, &stage.done, &stage.left}) sort_times(*column);
  }
}

}  // namespace takt
