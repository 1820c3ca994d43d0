#include "training/diagnosis/straggler.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "training/diagnosis/rank_work.h"
#include "training/diagnosis/rule_words.h"
#include "training/diagnosis/tables.h"

namespace takt {
namespace {

constexpr double least_rank_share = 0.05, most_of_it = 0.7;

/// "rank 3", "ranks 1, 4-5"
std::string names_of_ranks(const std::vector<Diagnosis>& diagnoses, const RankWork& work,
                           const std::vector<bool>& which) {
  std::vector<std::int64_t> numbers;
  for (std::size_t rank = 0; rank < work.ranks(); ++rank)
    if (which[rank]) numbers.push_back(*diagnoses[work.diagnoses[rank]].rank);
  std::sort(numbers.begin(), numbers.end());
  return (numbers.size() == 1 ? "rank " : "ranks ") + ranges_text(numbers);
}

/// The ranks in the order of their work, the slowest first.
std::vector<std::size_t> slowest_first(const RankWork& work) {
  std::vector<std::size_t> order(work.ranks());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return work.mean_work(a) > work.mean_work(b); });
  return order;
}

/// By common step, what its slowest rank takes longer than the slowest of the others.
std::vector<std::int64_t> gains_without(const RankWork& work, const std::vector<bool>& slow) {
  std::vector<std::int64_t> gains;
  for (std::size_t step = 0; step < work.steps.size(); ++step)
    gains.push_back(std::max<std::int64_t>(0, work.most(step) - work.most_without(step, slow)));
  return gains;
}

std::int64_t sum_of_most_over(const RankWork& work, std::int64_t (RankWork::*other)(std::size_t) const) {
  std::int64_t sum = 0;
  for (std::size_t step = 0; step < work.steps.size(); ++step) sum += work.most(step) - (work.*other)(step);
  return sum;
}

std::int64_t sum_of_usual(const RankWork& work) {
  std::int64_t sum = 0;
  for (std::size_t step = 0; step < work.steps.size(); ++step) sum += work.usual(step);
  return sum;
}

/// The fewest ranks, at most half, that bring most of what all ranks would gain if none was slower than usual.
std::vector<bool> slow_ranks(const RankWork& work, std::int64_t all_gain) {
  std::vector<bool> slow(work.ranks());
  const std::vector<std::size_t> order = slowest_first(work);
  for (std::size_t count = 0; count < work.ranks() / 2; ++count) {
    slow[order[count]] = true;
    const auto gains = gains_without(work, slow);
    const std::int64_t sum = sum_of(gains);
    if (static_cast<double>(sum) >= most_of_it * static_cast<double>(all_gain)) return slow;
  }
  return std::vector<bool>(work.ranks());
}

/// What common steps cost, on the steps of a rank.
std::vector<std::int64_t> on_steps_of(const Diagnosis& one, const RankWork& work, std::size_t rank,
                                      const std::vector<std::int64_t>& costs) {
  std::vector<std::int64_t> cost(one.steps.list.size());
  for (std::size_t step = 0; step < costs.size(); ++step) cost[work.steps[step][rank].position] = costs[step];
  return cost;
}

void add_verdict(Diagnosis& one, TrainingCause cause, std::vector<std::int64_t> cost, std::string evidence,
                 std::string fix) {
  one.verdicts.push_back({{cause, std::move(cost), std::move(evidence), std::move(fix)}, {}, {}});
}

double mean_over(const RankWork& work, const std::vector<bool>& which, bool wanted) {
  double sum = 0, count = 0;
  for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
    if (which[rank] != wanted) continue;
    sum += work.mean_work(rank);
    ++count;
  }
  return count == 0 ? 0 : sum / count;
}

/// Waiting for a rank is no fault of the network: communication keeps what moving the data takes.
void take_waits_from_communication(Diagnosis& one, const RankWork& work, std::size_t rank) {
  for (PlacedVerdict& placed : one.verdicts) {
    TrainingVerdict& verdict = placed.verdict;
    if (verdict.cause != TrainingCause::exposed_communication) continue;
    std::int64_t waited = 0;
    for (const auto& step : work.steps) {
      std::int64_t& cost = verdict.cost[step[rank].position];
      const std::int64_t taken = std::clamp<std::int64_t>(step[rank].waited, 0, std::max<std::int64_t>(0, cost));
      cost -= taken;
      waited += taken;
    }
    if (waited > 0)
      verdict.evidence = fmt::format(
          "communication between ranks takes {} per step while nothing is computed, without "
          "the time in which this rank waits for others",
          time_text(static_cast<double>(verdict.total()) /
                    static_cast<double>(std::max<std::size_t>(1, verdict.cost.size()))));
  }
  std::erase_if(one.verdicts, [&](const PlacedVerdict& placed) {
    return placed.verdict.cause == TrainingCause::exposed_communication &&
           static_cast<double>(placed.verdict.total()) < least_rank_share * static_cast<double>(one.breakdown.total);
  });
}

std::int64_t waited_by(const RankWork& work, std::size_t rank) {
  std::int64_t sum = 0;
  for (const auto& step : work.steps) sum += step[rank].waited;
  return sum;
}

/// What slow ranks do longer than the others.
struct Excess {
  std::string evidence, fix;
};

/// By the part of the breakdown that differs most; `is_slow` of a common step and a rank.
template <typename IsSlow>
Excess excess_of(const std::vector<Diagnosis>& diagnoses, const RankWork& work, IsSlow is_slow) {
  std::array<double, step_part_count> excess{};
  const auto all = static_cast<double>(work.ranks());
  for (std::size_t step = 0; step < work.steps.size(); ++step) {
    double slow_ones = 0;
    for (std::size_t rank = 0; rank < work.ranks(); ++rank) slow_ones += is_slow(step, rank) ? 1 : 0;
    if (slow_ones < 1 || slow_ones >= all) continue;
    for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
      const double weight = is_slow(step, rank) ? 1 / slow_ones : -1 / (all - slow_ones);
      const auto& parts = diagnoses[work.diagnoses[rank]].breakdown.by_step;
      if (work.steps[step][rank].position >= parts.size()) continue;
      for (std::size_t i = 0; i < step_part_count; ++i)
        excess[i] += weight * static_cast<double>(parts[work.steps[step][rank].position][i]);
    }
  }
  excess[static_cast<std::size_t>(StepPart::communication)] = 0;
  const auto most = std::max_element(excess.begin(), excess.end());
  if (*most <= 0) return {"", "check that host: its clock, its other processes, its input."};
  const auto part = static_cast<StepPart>(most - excess.begin());
  return {fmt::format("; most of the difference is {}",
                      part == StepPart::idle ? std::string_view("the program's own code") : name_of(part)),
          part == StepPart::kernel ? "check the clock and the temperature of that device."
          : part == StepPart::data_wait
              ? "check the input of that host."
              : "check that host: pauses of the program (garbage collection), other processes."};
}

void blame_slow(std::vector<Diagnosis>& diagnoses, const RankWork& work, const std::vector<bool>& slow) {
  const std::vector<std::int64_t> gains = gains_without(work, slow);
  const std::string names = names_of_ranks(diagnoses, work, slow);
  const auto count = static_cast<std::size_t>(std::count(slow.begin(), slow.end(), true));
  const std::string usual = time_text(mean_over(work, slow, false));
  const Excess excess = excess_of(diagnoses, work, [&](std::size_t, std::size_t rank) { return bool{slow[rank]}; });
  for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
    Diagnosis& one = diagnoses[work.diagnoses[rank]];
    auto cost = on_steps_of(one, work, rank, gains);
    const std::int64_t waited = waited_by(work, rank);
    if (slow[rank]) {
      add_verdict(one, TrainingCause::straggler, std::move(cost),
                  fmt::format("{} work{} {} per step, the other {} ranks {}: they wait for {}{}{}", names,
                              count == 1 ? "s" : "", time_text(mean_over(work, slow, true)), work.ranks() - count,
                              usual, count == 1 ? "it" : "them", excess.evidence,
                              count == 1 ? "" : "; fixing one of them alone gains little"),
                  "Give each rank the same work (shards, sequence lengths), and " + excess.fix);
    } else if (static_cast<double>(waited) >= least_rank_share * static_cast<double>(one.breakdown.total)) {
      add_verdict(one, TrainingCause::straggler, std::move(cost),
                  fmt::format("this rank waits {} per step for {}",
                              time_text(static_cast<double>(waited) / static_cast<double>(work.steps.size())), names),
                  "Nothing to fix here; see " + names + ".");
      one.verdicts.back().verdict.is_elsewhere = true;
    }
  }
}

void blame_uneven_work(std::vector<Diagnosis>& diagnoses, const RankWork& work) {
  std::vector<std::int64_t> gains;
  std::set<std::size_t> slowest;
  for (std::size_t step = 0; step < work.steps.size(); ++step) {
    gains.push_back(work.most(step) - work.mean(step));
    for (std::size_t rank = 0; rank < work.ranks(); ++rank)
      if (work.steps[step][rank].work == work.most(step)) slowest.insert(rank);
  }
  const Excess excess = excess_of(diagnoses, work, [&](std::size_t step, std::size_t rank) {
    return work.steps[step][rank].work == work.most(step);
  });
  const bool is_of_device = excess.evidence.ends_with(name_of(StepPart::kernel));
  for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
    Diagnosis& one = diagnoses[work.diagnoses[rank]];
    add_verdict(
        one, TrainingCause::uneven_ranks, on_steps_of(one, work, rank, gains),
        fmt::format("another rank is the slowest from step to step ({} of {} in turn); the slowest one works {} "
                    "longer than the mean of all{}",
                    slowest.size(), work.ranks(),
                    time_text(static_cast<double>(sum_of(gains)) / static_cast<double>(gains.size())), excess.evidence),
        "Give the ranks equal work in each step: sort or bucket samples by length, and balance shards" +
            (is_of_device ? "." : "; " + excess.fix));
  }
}

/// By common step, what at least half of the ranks wait for others: so much sooner would the last ones come if all came
/// at a time. Inside a step others may be late at each collective, though all work alike in the whole.
std::vector<std::int64_t> usual_waits(const RankWork& work) {
  std::vector<std::int64_t> usual;
  for (const auto& step : work.steps) {
    std::vector<std::int64_t> waits;
    for (const RankStep& one : step) waits.push_back(one.waited);
    const auto middle = waits.begin() + static_cast<std::ptrdiff_t>((waits.size() - 1) / 2);
    std::nth_element(waits.begin(), middle, waits.end());
    usual.push_back(*middle);
  }
  return usual;
}

void blame_uneven_parts(std::vector<Diagnosis>& diagnoses, const RankWork& work,
                        const std::vector<std::int64_t>& waits) {
  const double each = static_cast<double>(sum_of(waits)) / static_cast<double>(waits.size());
  for (std::size_t rank = 0; rank < work.ranks(); ++rank)
    add_verdict(diagnoses[work.diagnoses[rank]], TrainingCause::uneven_ranks,
                on_steps_of(diagnoses[work.diagnoses[rank]], work, rank, waits),
                fmt::format("all ranks work as long in a step, but in its parts other ones are late: at collectives "
                            "they wait {} for each other in each step",
                            time_text(each)),
                "Give the ranks equal work between collectives: balance experts (auxiliary loss, capacity) and "
                "sequence lengths.");
}

/// Stages of a pipeline wait for each other while it fills and runs empty; for a stage that has more work than others
/// they wait, too, which is another verdict's.
void blame_pipeline(std::vector<Diagnosis>& diagnoses, const RankWork& work) {
  for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
    Diagnosis& one = diagnoses[work.diagnoses[rank]];
    std::vector<std::int64_t> waits;
    for (std::size_t step = 0; step < work.steps.size(); ++step) {
      const RankStep& own = work.steps[step][rank];
      waits.push_back(std::max<std::int64_t>(0, own.waited - (work.most(step) - own.work)));
    }
    const std::int64_t sum = sum_of(waits);
    if (static_cast<double>(sum) < least_rank_share * static_cast<double>(one.breakdown.total)) continue;
    add_verdict(
        one, TrainingCause::pipeline_bubble, on_steps_of(one, work, rank, waits),
        fmt::format("as a stage of a pipeline this rank waits {} per step for the other stages",
                    time_text(static_cast<double>(sum) / static_cast<double>(waits.size()))),
        "Use more micro batches per step, or a schedule with less bubble (1F1B, interleaved stages, zero bubble), "
        "and give the stages equal work.");
  }
}

/// The position of a step that has most of what all ranks would gain: something happened there once.
std::optional<std::size_t> lonely_step(const RankWork& work, std::int64_t all_gain) {
  constexpr std::size_t fewest = 3;
  for (std::size_t step = 0; step < work.steps.size() && work.steps.size() >= fewest; ++step)
    if (static_cast<double>(work.most(step) - work.usual(step)) >= most_of_it * static_cast<double>(all_gain))
      return step;
  return std::nullopt;
}

void remark_late_start(std::vector<Diagnosis>& diagnoses, const RankWork& work) {
  for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
    if (work.steps[0][rank].work != work.most(0)) continue;
    Diagnosis& one = diagnoses[work.diagnoses[rank]];
    add_verdict(one, TrainingCause::warm_up, std::vector<std::int64_t>(one.steps.list.size()),
                fmt::format("rank {} is {} late in the first common step, and the others wait for it once", *one.rank,
                            time_text(static_cast<double>(work.most(0) - work.usual(0)))),
                "Nothing to fix in a long training.");
  }
}

/// Judges ranks by all other steps than one in which something happened once.
void take_lonely_step(std::vector<Diagnosis>& diagnoses, RankWork& work) {
  const std::int64_t all_gain = sum_of_most_over(work, &RankWork::usual);
  if (static_cast<double>(all_gain) < least_rank_share * static_cast<double>(sum_of_usual(work))) return;
  const auto lonely = lonely_step(work, all_gain);
  if (!lonely) return;
  if (*lonely == 0) remark_late_start(diagnoses, work);
  work.steps.erase(work.steps.begin() + static_cast<std::ptrdiff_t>(*lonely));
}

void abstain_alone(std::vector<Diagnosis>& diagnoses, const std::vector<std::optional<std::int64_t>>& world_size) {
  for (std::size_t i = 0; i < diagnoses.size(); ++i) {
    const bool is_one_of_many =
        world_size[i].value_or(1) > 1 || diagnoses[i].breakdown.sum(StepPart::communication) > 0;
    if (is_one_of_many) diagnoses[i].abstentions.push_back({TrainingCause::straggler, "traces of the other ranks"});
  }
}

/// A rank that is missing may be the slow one.
void abstain_without(std::vector<Diagnosis>& diagnoses, const RankWork& work,
                     const std::vector<std::optional<std::int64_t>>& world_size) {
  std::int64_t size = 0;
  std::set<std::int64_t> there;
  for (const std::size_t i : work.diagnoses) {
    size = std::max(size, world_size[i].value_or(0));
    there.insert(*diagnoses[i].rank);
  }
  constexpr std::int64_t most_listed = 4096;
  std::vector<std::int64_t> missing;
  for (std::int64_t rank = 0; rank < std::min(size, most_listed); ++rank)
    if (!there.contains(rank)) missing.push_back(rank);
  if (missing.empty()) return;
  const std::string names =
      (missing.size() == 1 ? "the trace of rank " : "the traces of ranks ") + ranges_text(missing);
  for (const std::size_t i : work.diagnoses) diagnoses[i].abstentions.push_back({TrainingCause::straggler, names});
}

}  // namespace

void look_for_stragglers(std::vector<Diagnosis>& diagnoses,
                         const std::vector<std::optional<std::int64_t>>& world_size) {
  RankWork work = rank_work(diagnoses);
  if (work.ranks() < 2) return abstain_alone(diagnoses, world_size);
  abstain_without(diagnoses, work, world_size);
  for (std::size_t rank = 0; rank < work.ranks(); ++rank)
    take_waits_from_communication(diagnoses[work.diagnoses[rank]], work, rank);
  if (work.is_pipeline) blame_pipeline(diagnoses, work);
  take_lonely_step(diagnoses, work);
  if (work.steps.empty()) return;
  const std::int64_t all_gain = sum_of_most_over(work, &RankWork::usual);
  const auto least = least_rank_share * static_cast<double>(sum_of_usual(work));
  if (static_cast<double>(all_gain) >= least) {
    const std::vector<bool> slow = slow_ranks(work, all_gain);
    if (std::find(slow.begin(), slow.end(), true) != slow.end()) return blame_slow(diagnoses, work, slow);
    if (static_cast<double>(sum_of_most_over(work, &RankWork::mean)) >= least) blame_uneven_work(diagnoses, work);
    return;
  }
  const std::vector<std::int64_t> waits = usual_waits(work);
  if (!work.is_pipeline && static_cast<double>(sum_of(waits)) >= least) blame_uneven_parts(diagnoses, work, waits);
}

}  // namespace takt
