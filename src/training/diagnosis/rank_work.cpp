#include "training/diagnosis/rank_work.h"

#include <algorithm>
#include <map>
#include <optional>
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

/// The communication of ranks in one step.
class StepOfRanks {
 public:
  StepOfRanks(const std::vector<const Diagnosis*>& ranks, const std::vector<std::size_t>& at) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      auto& shared = shared_.emplace_back();
      auto& pairs = pairs_.emplace_back();
      if (at[rank] >= ranks[rank]->collectives.size()) continue;
      for (const Collective& one : ranks[rank]->collectives[at[rank]])
        (one.is_point_to_point ? pairs : shared).push_back(one.time);
    }
  }

  /// Of each collective the last rank to come waits for no one: what others take longer they wait. nullopt: ranks have
  /// different numbers of collectives.
  std::optional<std::vector<std::int64_t>> waits_in_shared() const {
    std::vector<std::int64_t> waits(shared_.size());
    const std::size_t count = shared_.front().size();
    for (const auto& times : shared_)
      if (times.size() != count) return std::nullopt;
    for (std::size_t k = 0; k < count; ++k) {
      std::int64_t least = INT64_MAX;
      for (const auto& times : shared_) least = std::min(least, times[k]);
      for (std::size_t rank = 0; rank < waits.size(); ++rank) waits[rank] += shared_[rank][k] - least;
    }
    return waits;
  }

  /// A send or a receive lasts until the other rank comes: the shortest one shows what moving the data takes.
  std::vector<std::int64_t> waits_in_pairs() const {
    std::int64_t least = INT64_MAX;
    for (const auto& times : pairs_)
      for (const std::int64_t time : times) least = std::min(least, time);
    std::vector<std::int64_t> waits(pairs_.size());
    for (std::size_t rank = 0; rank < waits.size(); ++rank)
      for (const std::int64_t time : pairs_[rank]) waits[rank] += time - least;
    return waits;
  }

  bool has_any() const {
    const auto is_filled = [](const std::vector<std::int64_t>& times) { return !times.empty(); };
    return std::any_of(shared_.begin(), shared_.end(), is_filled) || has_pairs();
  }
  bool has_pairs() const {
    return std::any_of(pairs_.begin(), pairs_.end(),
                       [](const std::vector<std::int64_t>& times) { return !times.empty(); });
  }

 private:
  std::vector<std::vector<std::int64_t>> shared_, pairs_;  // by rank, ns in order
};

/// How long each rank waits for others. Where collectives cannot be matched, by what ranks communicate alone.
std::vector<std::int64_t> waits_in(const std::vector<const Diagnosis*>& ranks, const std::vector<std::size_t>& at) {
  constexpr auto part = static_cast<std::size_t>(StepPart::communication);
  std::vector<std::int64_t> exposed(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    exposed[rank] = ranks[rank]->breakdown.by_step[at[rank]][part];
  const StepOfRanks step(ranks, at);
  const auto shared = step.waits_in_shared();
  const std::vector<std::int64_t> pairs = step.waits_in_pairs();
  const std::int64_t least = *std::min_element(exposed.begin(), exposed.end());
  std::vector<std::int64_t> waits(ranks.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const bool can_match = shared && step.has_any();
    waits[rank] = std::min(exposed[rank], can_match ? (*shared)[rank] + pairs[rank] : exposed[rank] - least);
  }
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
    all.is_pipeline = all.is_pipeline || StepOfRanks(ranks, positions).has_pairs();
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
