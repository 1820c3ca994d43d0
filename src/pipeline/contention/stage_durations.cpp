#include "pipeline/contention/stage_durations.h"

#include <algorithm>

#include "base/basics/index.h"
#include "base/statistics/statistics.h"
#include "pipeline/contention/slow_down_rule.h"

namespace takt {
namespace {

bool is_counted(const PipelineRun& run, const ExecutionRecord& record) {
  return record.what.phase == FlowPhase::run && record.what.batch >= run.warmup;
}

/// Time of [begin, end) in which executions of `other` ran; those are in the order of their starts.
double overlap_of(const std::vector<const ExecutionRecord*>& other, std::int64_t begin, std::int64_t end,
                  std::size_t& from) {
  while (from < other.size() && other[from]->end.count() <= begin) ++from;
  double sum = 0;
  for (std::size_t i = from; i < other.size() && other[i]->start.count() < end; ++i)
    sum += static_cast<double>(
        std::max<std::int64_t>(0, std::min(end, other[i]->end.count()) - std::max(begin, other[i]->start.count())));
  return sum;
}

std::vector<const ExecutionRecord*> executions_of(const PipelineRun& run, int stage, bool warm_too) {
  std::vector<const ExecutionRecord*> list;
  for (const auto& record : run.schedule.executions)
    if (record.what.stage == stage && record.what.phase == FlowPhase::run && (warm_too || is_counted(run, record)))
      list.push_back(&record);
  std::stable_sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return a->start < b->start; });
  return list;
}

}  // namespace

std::optional<double> StageDurations::overlap() const {
  const auto usual = mean(all);
  if (!usual) return std::nullopt;
  return *usual > 0 ? beside / (*usual * static_cast<double>(all.size())) : 0;
}

void add_durations(const PipelineRun& run, int stage, std::optional<int> beside, StageDurations& into) {
  const auto own = executions_of(run, stage, false);
  const auto other = beside ? executions_of(run, *beside, true) : std::vector<const ExecutionRecord*>{};
  std::size_t from = 0;
  std::vector<double> round;
  for (const auto* record : own) {
    round.push_back(static_cast<double>((record->end - record->start).count()));
    into.beside += overlap_of(other, record->start.count(), record->end.count(), from);
    // A simulated device's counters tell what its description says, not where a slow-down lies.
    const bool simulated = run.devices[index(record->what.device)].runtime == "sim";
    const auto number = static_cast<std::size_t>(record - run.schedule.executions.data());
    if (simulated || number >= run.counters.size() || !run.counters[number].hardware) continue;
    into.hardware += static_cast<double>(run.counters[number].hardware->count());
    ++into.counted;
  }
  if (!round.empty()) into.round_means.push_back(*mean(round));
  into.all.insert(into.all.end(), round.begin(), round.end());
}

double slow_down_while_both_run(double alone, double together, double share) {
  if (share <= 0 || together <= 0) return 1;
  return 1 / (1 - std::min((together - alone) / (share * together), slow_down::most_share));
}

}  // namespace takt
