#include "training/diagnosis/rank_work.h"

#include <algorithm>
#include <map>
#include <set>

namespace takt {
namespace {

std::vector<std::size_t> one_of_each_rank(const std::vector<Diagnosis>& diagnoses) {
  std::vector<std::size_t> list;
  std::set<std::int64_t> seen;
  for (std::size_t i = 0; i < diagnoses.size(); ++i) {
    const Diagnosis& one = diagnoses[i];
    if (one.rank && one.steps.source != StepSource::none && !one.steps.list.empty() && seen.insert(*one.rank).second)
      list.push_back(i);
  }
  return list;
}

/// By the number of a step, its position in each rank; those that all have. Without marks numbers count from the
/// beginning of each trace.
std::vector<std::vector<std::size_t>> common_steps(const std::vector<Diagnosis>& diagnoses,
                                                   const std::vector<std::size_t>& ranks) {
  std::map<std::int64_t, std::vector<std::size_t>> by_number;
  for (const std::size_t i : ranks) {
    std::set<std::int64_t> seen;
    for (std::size_t step = 0; step < diagnoses[i].steps.list.size(); ++step)
      if (seen.insert(diagnoses[i].steps.list[step].number).second)
        by_number[diagnoses[i].steps.list[step].number].push_back(step);
  }
  std::vector<std::vector<std::size_t>> common;
  for (auto& [number, positions] : by_number)
    if (positions.size() == ranks.size()) common.push_back(std::move(positions));
  if (!common.empty()) return common;
  std::size_t fewest = SIZE_MAX;
  for (const std::size_t i : ranks) fewest = std::min(fewest, diagnoses[i].steps.list.size());
  for (std::size_t step = 0; step < fewest; ++step) common.push_back(std::vector<std::size_t>(ranks.size(), step));
  return common;
}

/// Of each collective the last rank to come waits for no one: what others take longer they wait. Where ranks have
/// different numbers of collectives, the same of all communication of the step.
std::vector<std::int64_t> waits_in(const std::vector<const Diagnosis*>& ranks, const std::vector<std::size_t>& at) {
  const auto collectives = [&](std::size_t rank) -> std::vector<std::int64_t> {
    const auto& all = ranks[rank]->collectives;
    return at[rank] < all.size() ? all[at[rank]] : std::vector<std::int64_t>{};
  };
  constexpr auto part = static_cast<std::size_t>(StepPart::communication);
  std::vector<std::int64_t> waits(ranks.size()), exposed(ranks.size());
  const std::size_t count = collectives(0).size();
  bool are_alike = count > 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    exposed[rank] = ranks[rank]->breakdown.by_step[at[rank]][part];
    are_alike = are_alike && collectives(rank).size() == count;
  }
  for (std::size_t k = 0; are_alike && k < count; ++k) {
    std::int64_t least = INT64_MAX;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) least = std::min(least, collectives(rank)[k]);
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) waits[rank] += collectives(rank)[k] - least;
  }
  const std::int64_t least = *std::min_element(exposed.begin(), exposed.end());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    waits[rank] = std::min(exposed[rank], are_alike ? waits[rank] : exposed[rank] - least);
  return waits;
}

}  // namespace

double RankWork::mean_work(std::size_t rank) const {
  double sum = 0;
  for (const auto& step : steps) sum += static_cast<double>(step[rank].work);
  return steps.empty() ? 0 : sum / static_cast<double>(steps.size());
}

std::int64_t RankWork::most(std::size_t step) const { return most_without(step, std::vector<bool>(ranks())); }

std::int64_t RankWork::most_without(std::size_t step, const std::vector<bool>& left_out) const {
  std::int64_t most = 0;
  for (std::size_t rank = 0; rank < ranks(); ++rank)
    if (!left_out[rank]) most = std::max(most, steps[step][rank].work);
  return most;
}

std::int64_t RankWork::usual(std::size_t step) const {
  std::vector<std::int64_t> work;
  for (const RankStep& one : steps[step]) work.push_back(one.work);
  const auto middle = work.begin() + static_cast<std::ptrdiff_t>((work.size() - 1) / 2);
  std::nth_element(work.begin(), middle, work.end());
  return *middle;
}

std::int64_t RankWork::mean(std::size_t step) const {
  std::int64_t sum = 0;
  for (const RankStep& one : steps[step]) sum += one.work;
  return sum / static_cast<std::int64_t>(ranks());
}

RankWork rank_work(const std::vector<Diagnosis>& diagnoses) {
  RankWork all;
  all.diagnoses = one_of_each_rank(diagnoses);
  if (all.ranks() < 2) return all;
  std::vector<const Diagnosis*> ranks;
  for (const std::size_t i : all.diagnoses) ranks.push_back(&diagnoses[i]);
  constexpr auto communication = static_cast<std::size_t>(StepPart::communication);
  for (const auto& positions : common_steps(diagnoses, all.diagnoses)) {
    const std::vector<std::int64_t> waits = waits_in(ranks, positions);
    auto& step = all.steps.emplace_back();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      const TimeInterval span = ranks[rank]->steps.list[positions[rank]].span;
      const std::int64_t own = span.end - span.start - ranks[rank]->breakdown.by_step[positions[rank]][communication];
      step.push_back({positions[rank], own, waits[rank]});
    }
  }
  return all;
}

}  // namespace takt
