#include "training/straggler.h"

#include <algorithm>

#include "base/statistics/statistics.h"
#include "training/diagnosis/rule_words.h"

namespace takt {
namespace {

/// Mean time of a step without communication.
double own_work(const Diagnosis& one) {
  const std::int64_t work = one.breakdown.total - one.breakdown.sum(StepPart::communication);
  return static_cast<double>(work) / static_cast<double>(std::max<std::size_t>(1, one.steps.list.size()));
}

}  // namespace

void look_for_stragglers(std::vector<Diagnosis>& diagnoses,
                         const std::vector<std::optional<std::int64_t>>& world_size) {
  constexpr double least_excess = 0.10;
  std::vector<std::size_t> ranks;
  for (std::size_t i = 0; i < diagnoses.size(); ++i) {
    if (diagnoses[i].rank && diagnoses[i].steps.source != StepSource::none) ranks.push_back(i);
  }
  if (ranks.size() < 2) {
    for (std::size_t i = 0; i < diagnoses.size(); ++i) {
      const bool is_one_of_many =
          world_size[i].value_or(1) > 1 || diagnoses[i].breakdown.sum(StepPart::communication) > 0;
      if (is_one_of_many) diagnoses[i].abstentions.push_back({TrainingCause::straggler, "traces of the other ranks"});
    }
    return;
  }
  std::vector<double> work;
  for (const std::size_t i : ranks) work.push_back(own_work(diagnoses[i]));
  const std::size_t slowest = static_cast<std::size_t>(std::max_element(work.begin(), work.end()) - work.begin());
  std::vector<double> others = work;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(slowest));
  const double usual = median(others).value_or(0), excess = work[slowest] - usual;
  if (usual <= 0 || excess < least_excess * usual) return;
  Diagnosis& straggler = diagnoses[ranks[slowest]];
  TrainingVerdict verdict{TrainingCause::straggler, {}, {}, {}};
  verdict.cost.assign(straggler.steps.list.size(), static_cast<std::int64_t>(excess));
  verdict.evidence = fmt::format("rank {} works {} per step, the other {} ranks {}: they wait for it", *straggler.rank,
                                 time_text(work[slowest]), others.size(), time_text(usual));
  verdict.fix =
      "Give each rank the same work (shards, lengths of sequences), and look at that host: its clock, its other "
      "programs, its input.";
  straggler.verdicts.push_back({std::move(verdict), {}, {}});
}

}  // namespace takt
