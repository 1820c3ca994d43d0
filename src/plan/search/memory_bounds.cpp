#include "plan/search/memory_bounds.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/basics/index.h"

namespace takt {
namespace {

constexpr double no_way = std::numeric_limits<double>::infinity();

std::int64_t bytes_that_count(const std::optional<std::int64_t>& bytes) {
  return std::clamp<std::int64_t>(bytes.value_or(0), 0, PlanChoices::impossible);
}

}  // namespace

bool memory_adds_up(const PlanCosts& costs, bool units_once) {
  for (int unit = 0; unit < static_cast<int>(costs.units().size()); ++unit)
    if (costs.memory_limit(unit)) return !units_once;
  return false;
}

MemoryBounds::MemoryBounds(const PlanCosts& costs, const PlanChoices& choices) : costs_(costs), choices_(choices) {
  whole_.resize(index(choices.stages()) * index(choices.stages()) * index(choices.units()));
  smallest_ = whole_;
  for (int unit = 0; unit < choices.units(); ++unit) {
    const auto limit = costs.memory_limit(unit);
    if (!limit) continue;
    limited_.push_back(unit);
    limited_team_ |= Team{1} << unit;
    limits_[index(unit)] = bytes_that_count(limit);
    for (int first = 1; first <= choices.stages(); ++first)
      for (int last = first; last <= choices.stages(); ++last) {
        const StageSpan stages{first, last};
        whole_[place(stages, unit)] = bytes_that_count(costs.memory(stages, unit, 1));
        smallest_[place(stages, unit)] = bytes_that_count(costs.memory(stages, unit, 1.0 / choices.steps()));
      }
  }
  find_needed();
  price_rest({});
}

std::size_t MemoryBounds::place(StageSpan stages, int unit) const {
  return (index(stages.first - 1) * index(choices_.stages()) + index(stages.last - 1)) * index(choices_.units()) +
         index(unit);
}

std::size_t MemoryBounds::front(int done, int end) const {
  return index(done) * (index(choices_.units()) + 1) + index(end + 1);
}

std::int64_t MemoryBounds::least(StageSpan stages, int unit, Team team) const {
  return std::has_single_bit(team) ? whole(stages, unit) : smallest_[place(stages, unit)];
}

void MemoryBounds::add_least(Bytes& kept, StageSpan stages, Team team) const {
  for (const int unit : limited_)
    if ((team >> unit) % 2 == 1) kept[index(unit)] += least(stages, unit, team);
}

void MemoryBounds::add_divided(Bytes& kept, StageSpan stages, Team team) {
  if (std::has_single_bit(team)) return add_least(kept, stages, team);
  const std::size_t key = (place(stages, 0) << PlanChoices::most_units) + team;
  const auto [found, is_new] = divided_.try_emplace(key);
  if (is_new) {
    const PlacedBlock block = choices_.block(stages, team, choices_.best_steps(stages, team));
    for (std::size_t p = 0; p < block.units.size(); ++p)
      found->second[index(block.units[p])] = bytes_that_count(costs_.memory(stages, block.units[p], block.shares[p]));
  }
  for (const int unit : limited_) kept[index(unit)] += found->second[index(unit)];
}

std::int64_t MemoryBounds::available() const {
  std::int64_t sum = 0;
  for (const int unit : limited_) sum = std::min(sum + limits_[index(unit)], PlanChoices::impossible);
  return sum;
}

/// From the back: a stage on a unit without a limit needs nothing.
void MemoryBounds::find_needed() {
  const int stages = choices_.stages();
  needed_.assign(index(stages) + 1, PlanChoices::impossible);
  needed_.back() = 0;
  for (int done = stages - 1; done >= 0; --done)
    for (int last = done + 1; last <= stages; ++last)
      for (Team team = 1; team <= choices_.all_units(); ++team) {
        if (choices_.total({done + 1, last}, team) >= PlanChoices::impossible) continue;
        std::int64_t need = needed_[index(last)];
        for (const int unit : limited_)
          if ((team >> unit) % 2 == 1)
            need += std::min(least({done + 1, last}, unit, team), PlanChoices::impossible / 8);
        needed_[index(done)] = std::min(needed_[index(done)], need);
      }
}

bool MemoryBounds::fits(int done, const Bytes& kept) const {
  std::int64_t left = 0;
  for (const int unit : limited_) {
    const std::int64_t of_unit = limits_[index(unit)] - kept[index(unit)];
    if (of_unit < 0) return false;
    left = std::min(left + of_unit, PlanChoices::impossible);
  }
  return needed_[index(done)] <= left;
}

std::int64_t MemoryBounds::rest(const PlanFront& at, const Bytes& kept) const {
  const double rest = rest_[front(at.done, at.end)];
  if (rest == no_way) return PlanChoices::impossible;
  double paid = 0;
  for (const int unit : limited_) {
    const auto limit = static_cast<double>(std::max<std::int64_t>(1, limits_[index(unit)]));
    paid += prices_[index(unit)] * static_cast<double>(limits_[index(unit)] - kept[index(unit)]) / limit;
  }
  const double least = rest - paid - 1e-12 * (rest + paid) - 1;  // what the arithmetic may be off
  if (least >= static_cast<double>(PlanChoices::impossible)) return PlanChoices::impossible;
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(least));
}

/// What all of it comes to, with the price of all memory taken off.
double MemoryBounds::price_rest(const Prices& prices) {
  prices_ = prices;
  const int stages = choices_.stages();
  const std::size_t teams = std::size_t{choices_.all_units()} + 1;
  rest_.assign((index(stages) + 1) * (index(choices_.units()) + 1), no_way);
  cheapest_.assign(rest_.size(), {});
  for (int end = PlanCosts::host; end < choices_.units(); ++end)
    if (const auto time = choices_.transfer(stages, end, PlanCosts::host); time < PlanChoices::impossible)
      rest_[front(stages, end)] = static_cast<double>(time);
  for (int done = stages - 1; done >= 0; --done) {
    std::vector<double> from(teams, no_way);  // by team: its block and what follows
    std::vector<int> until(teams, 0);
    for (int last = done + 1; last <= stages; ++last)
      for (Team team = 1; team < teams; ++team) {
        const std::int64_t time = choices_.total({done + 1, last}, team);
        if (time >= PlanChoices::impossible) continue;
        double all = static_cast<double>(time) + rest_[front(last, choices_.end_of(team))];
        for (const int unit : limited_)
          if ((team >> unit) % 2 == 1)
            all += prices[index(unit)] * static_cast<double>(least({done + 1, last}, unit, team)) /
                   static_cast<double>(std::max<std::int64_t>(1, limits_[index(unit)]));
        if (all >= from[team]) continue;
        from[team] = all;
        until[team] = last;
      }
    for (int end = PlanCosts::host; end < choices_.units(); ++end)
      for (Team team = 1; team < teams; ++team) {
        const std::int64_t moved = choices_.transfer(done, end, choices_.end_of(team));
        if (moved >= PlanChoices::impossible || static_cast<double>(moved) + from[team] >= rest_[front(done, end)])
          continue;
        rest_[front(done, end)] = static_cast<double>(moved) + from[team];
        cheapest_[front(done, end)] = {until[team], team};
      }
  }
  double value = rest_[front(0, PlanCosts::host)];
  for (const int unit : limited_) value -= prices[index(unit)];
  return value;
}

MemoryBounds::Bytes MemoryBounds::kept_by_cheapest() const {
  Bytes kept{};
  int done = 0, end = PlanCosts::host;
  while (done < choices_.stages()) {
    const Step& step = cheapest_[front(done, end)];
    for (const int unit : limited_)
      if ((step.team >> unit) % 2 == 1)
        kept[index(unit)] =
            std::min(kept[index(unit)] + least({done + 1, step.last}, unit, step.team), PlanChoices::impossible);
    done = step.last;
    end = choices_.end_of(step.team);
  }
  return kept;
}

/// Steps along what the cheapest plan keeps too much or too little, as long as Polyak takes them (Minimization of
/// unsmooth functionals, 1969).
void MemoryBounds::find_prices(std::optional<std::int64_t> enough) {
  Prices prices = prices_, best_prices = prices_;
  double value = price_rest(prices), best = value, length = 1;
  const double work = std::pow(choices_.stages(), 2) / 2 * choices_.all_units();
  const int rounds = static_cast<int>(std::clamp(5e7 / work, 20.0, 300.0));
  for (int round = 0, in_vain = 0; round < rounds && value < static_cast<double>(PlanChoices::impossible); ++round) {
    const Bytes kept = kept_by_cheapest();
    Prices slope{};
    double steepness = 0;
    for (const int unit : limited_) {
      const auto limit = static_cast<double>(std::max<std::int64_t>(1, limits_[index(unit)]));
      const double beyond = static_cast<double>(kept[index(unit)] - limits_[index(unit)]) / limit;
      if (beyond < 0 && prices[index(unit)] <= 0) continue;
      slope[index(unit)] = beyond;
      steepness += beyond * beyond;
    }
    const double above = enough ? std::max(static_cast<double>(*enough), best + 1) : 2 * std::max(best, 1.0);
    if (steepness < 1e-18) break;
    for (const int unit : limited_)
      prices[index(unit)] =
          std::max(0.0, prices[index(unit)] + length * (above - value) / steepness * slope[index(unit)]);
    value = price_rest(prices);
    if (value > best) {
      best = value;
      best_prices = prices;
      in_vain = 0;
    } else if (++in_vain == 8) {
      length /= 2;
      in_vain = 0;
    }
  }
  price_rest(best_prices);
}

}  // namespace takt
