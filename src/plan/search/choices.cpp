#include "plan/search/choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/index.h"

namespace takt {
namespace {

int sum_of(const std::vector<int>& steps) { return std::accumulate(steps.begin(), steps.end(), 0); }

/// The largest give way, and each keeps one.
std::vector<int> without_surplus(std::vector<int> steps, int wanted) {
  for (int surplus = sum_of(steps) - wanted; surplus > 0;) {
    int& largest = *std::max_element(steps.begin(), steps.end());
    const int taken = std::min(surplus, std::max(1, largest / 2));
    largest -= taken;
    surplus -= taken;
  }
  return steps;
}

}  // namespace

std::vector<int> units_in(Team team) {
  std::vector<int> units;
  for (; team != 0; team &= team - 1) units.push_back(std::countr_zero(team));
  return units;
}

PlanChoices::PlanChoices(const PlanCosts& costs, const ChoiceSettings& settings)
    : costs_(costs), settings_(settings), stages_(costs.stages()), units_(static_cast<int>(costs.units().size())) {
  if (units_ < 1 || units_ > most_units)
    refuse_input(fmt::format("plan search: {} units were given; give 1 to {}", units_, most_units));
  if (stages_ < 1) refuse_input("plan search: no stages were given; give the costs of one or more");
  if (settings.batches < 1 || settings.batches > 1'000'000'000)
    refuse_input(
        fmt::format("plan search: a stream of {} batches is not possible; give 1 to 1,000,000,000", settings.batches));
  // A block is partition, part and merge; a plan has a block and a transfer per stage at most, and one more transfer.
  longest_ = impossible / (3 * settings.batches + 5 * (std::int64_t{stages_} + 1));

  transfers_.assign((index(stages_) + 1) * ends() * ends(), impossible);
  for (int cut = 0; cut <= stages_; ++cut)
    for (int from = PlanCosts::host; from < units_; ++from)
      for (int to = PlanCosts::host; to < units_; ++to)
        if (const auto time = costs.transfer(cut, from, to))
          transfers_[(index(cut) * ends() + end(from)) * ends() + end(to)] = checked(*time);

  divide_all();
}

void PlanChoices::divide_all() {
  totals_.assign(index(stages_) * index(stages_) * teams(), impossible);
  if (settings_.divide) steps_.assign(totals_.size() * index(units_), 0);
  for (int first = 1; first <= stages_; ++first)
    for (int last = first; last <= stages_; ++last)
      for (Team team = 1; team <= all_units(); ++team) {
        if (!settings_.divide && !std::has_single_bit(team)) continue;
        const StageSpan stages{first, last};
        const std::size_t place = this->place(stages) * teams() + team;
        const auto units = units_in(team);
        const auto steps = units.size() == 1 ? std::vector<int>{settings_.steps} : find_best_steps(stages, units);
        if (settings_.divide)
          std::copy(steps.begin(), steps.end(), steps_.begin() + static_cast<std::ptrdiff_t>(place * index(units_)));
        totals_[place] = total_of(stages, units, steps);
      }
}

int PlanChoices::end_of(Team team) const {
  return std::has_single_bit(team) ? std::countr_zero(team) : PlanCosts::host;
}

std::int64_t PlanChoices::checked(Nanoseconds time) const {
  if (time.count() < 0)
    refuse_input(fmt::format("plan search: a cost is {} ns, but a time is 0 or more", time.count()));
  if (time.count() > longest_)
    refuse_input("plan search: a cost is too large for a stream of this many batches; use fewer");
  return time.count();
}

std::int64_t PlanChoices::part_time(StageSpan stages, int unit, int steps) const {
  const double share = static_cast<double>(steps) / settings_.steps;
  const auto time = costs_.time(stages, unit, share);
  if (!time) return impossible;
  if (const auto limit = costs_.memory_limit(unit)) {
    const auto wanted = costs_.memory(stages, unit, share);
    if (wanted && *wanted > *limit) return impossible;
  }
  return checked(*time);
}

/// 0: not even one step.
int PlanChoices::most_steps_within(StageSpan stages, int unit, std::int64_t time, int most) const {
  int within = 0;
  for (int beyond = most + 1; beyond - within > 1;) {
    const int middle = within + (beyond - within) / 2;
    (part_time(stages, unit, middle) <= time ? within : beyond) = middle;
  }
  return within;
}

/// One part grows as the other shrinks: the best is where they cross, on one side or the other.
std::vector<int> PlanChoices::divided_in_two(StageSpan stages, const std::vector<int>& units) const {
  int below = 0, above = settings_.steps - 1;
  while (above - below > 1) {
    const int middle = below + (above - below) / 2;
    const bool crossed = part_time(stages, units[0], middle) >= part_time(stages, units[1], settings_.steps - middle);
    (crossed ? above : below) = middle;
  }
  const auto longest = [&](int steps) {
    return std::max(part_time(stages, units[0], steps), part_time(stages, units[1], settings_.steps - steps));
  };
  const int best = below > 0 && longest(below) <= longest(above) ? below : above;
  if (longest(best) >= impossible) return {};
  return {best, settings_.steps - best};
}

/// The steps that fit into `time`, part by part; empty: a part does not even take one.
std::vector<int> PlanChoices::steps_within(StageSpan stages, const std::vector<int>& units, std::int64_t time) const {
  const int most = settings_.steps - static_cast<int>(units.size()) + 1;
  std::vector<int> steps;
  for (const int unit : units) {
    steps.push_back(most_steps_within(stages, unit, time, most));
    if (steps.back() == 0) return {};
  }
  return steps;
}

/// A time that is enough for whole batches: with equal shares, or where memory forbids those, with all that fits.
std::int64_t PlanChoices::time_enough(StageSpan stages, const std::vector<int>& units) const {
  const int parts = static_cast<int>(units.size());
  std::int64_t longest = 0;
  for (const int unit : units)
    longest = std::max(longest, part_time(stages, unit, (settings_.steps + parts - 1) / parts));
  if (longest < impossible) return longest;
  const auto most = steps_within(stages, units, impossible - 1);
  if (sum_of(most) < settings_.steps) return impossible;
  longest = 0;
  for (std::size_t p = 0; p < units.size(); ++p) longest = std::max(longest, part_time(stages, units[p], most[p]));
  return longest;
}

/// Empty: they cannot do it together.
std::vector<int> PlanChoices::divided(StageSpan stages, const std::vector<int>& units) const {
  if (settings_.steps < static_cast<int>(units.size())) return {};
  if (units.size() == 2) return divided_in_two(stages, units);
  std::int64_t too_short = -1, enough = time_enough(stages, units);
  if (enough >= impossible) return {};
  auto best = steps_within(stages, units, enough);
  // Where just the whole batch fits, the longest part would lose a step in any shorter time.
  while (enough - too_short > 1 && sum_of(best) > settings_.steps) {
    const std::int64_t middle = too_short + (enough - too_short) / 2;
    auto steps = steps_within(stages, units, middle);
    if (sum_of(steps) < settings_.steps) {
      too_short = middle;
    } else {
      enough = middle;
      best = std::move(steps);
    }
  }
  return without_surplus(std::move(best), settings_.steps);
}

double PlanChoices::own_slow_down(StageSpan stages, const std::vector<int>& units) const {
  if (!costs_.has_slow_downs() || !settings_.parts_start_together) return 1;
  const PlacedBlock block{stages, units, {}};
  return slow_down_between(block, block, costs_);
}

/// Two parts: the shorter one is slowed down all its time, and the longer one as long as the shorter one runs. To
/// either side of where the longer part is shortest it grows and the shorter one shrinks, so that between two divisions
/// no other is better than the longer part of the nearer one with the shorter part of the farther one.
std::vector<int> PlanChoices::least_disturbed(StageSpan stages, const std::vector<int>& units, double factor) const {
  struct Division {
    int steps;
    double longer, shorter;
  };
  const auto division = [&](int steps) -> Division {
    const auto one = static_cast<double>(part_time(stages, units[0], steps));
    const auto other = static_cast<double>(part_time(stages, units[1], settings_.steps - steps));
    return {steps, std::max(one, other), std::min(one, other)};
  };
  const auto undisturbed = divided_in_two(stages, units);
  if (undisturbed.empty()) return {};
  const Division middle = division(undisturbed[0]);
  Division best = middle;
  const auto time = [&](const Division& of) { return of.longer + (factor - 1) * of.shorter; };
  for (const int end : {1, settings_.steps - 1}) {
    std::vector<std::pair<Division, Division>> between{{middle, division(end)}};
    while (!between.empty()) {
      const auto [near, far] = between.back();
      between.pop_back();
      if (time(far) < time(best)) best = far;
      if (std::abs(near.steps - far.steps) < 2 || near.longer + (factor - 1) * far.shorter >= time(best)) continue;
      const Division half = division((near.steps + far.steps) / 2);
      between.push_back({half, far});
      between.push_back({near, half});
    }
  }
  return {best.steps, settings_.steps - best.steps};
}

std::vector<int> PlanChoices::find_best_steps(StageSpan stages, const std::vector<int>& units) const {
  const double factor = own_slow_down(stages, units);
  return factor > 1 && units.size() == 2 ? least_disturbed(stages, units, factor) : divided(stages, units);
}

std::vector<int> PlanChoices::best_steps(StageSpan stages, Team team) const {
  if (std::has_single_bit(team)) return {settings_.steps};
  const auto units = index(std::popcount(team));
  const auto begin = steps_.begin() + static_cast<std::ptrdiff_t>((place(stages) * teams() + team) * index(units_));
  return *begin == 0 ? std::vector<int>{} : std::vector<int>(begin, begin + static_cast<std::ptrdiff_t>(units));
}

std::int64_t PlanChoices::total_of(StageSpan stages, const std::vector<int>& units,
                                   const std::vector<int>& steps) const {
  if (units.size() == 1) return part_time(stages, units[0], settings_.steps);
  const auto cost = costs_.divide(stages, units);
  if (!cost || steps.empty()) return impossible;
  std::vector<Nanoseconds> parts;
  for (std::size_t p = 0; p < units.size(); ++p) parts.emplace_back(part_time(stages, units[p], steps[p]));
  const std::int64_t together = units.size() == 2 ? least_time_together(parts, own_slow_down(stages, units))
                                                  : std::max_element(parts.begin(), parts.end())->count();
  return checked(cost->partition) + together + checked(cost->merge);
}

std::int64_t PlanChoices::least_work(StageSpan stages, int unit, Team team) const {
  return part_time(stages, unit, std::has_single_bit(team) ? settings_.steps : 1);
}

PlacedBlock PlanChoices::block(StageSpan stages, Team team, const std::vector<int>& steps) const {
  PlacedBlock block{stages, units_in(team), {}};
  for (const int step : steps) block.shares.push_back(static_cast<double>(step) / settings_.steps);
  return block;
}

}  // namespace takt
