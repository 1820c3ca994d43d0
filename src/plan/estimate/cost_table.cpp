#include "plan/estimate/cost_table.h"

#include <fmt/format.h>

#include <cmath>

#include "base/basics/check.h"
#include "base/basics/index.h"

namespace takt {

PlanCostTable::PlanCostTable(int stages, std::vector<std::string> units) : stages_(stages), units_(std::move(units)) {
  const std::size_t ends = units_.size() + 1;
  times_.resize(index(stages) * index(stages) * units_.size());
  transfers_.assign((index(stages) + 1) * ends * ends, 0);
  slow_downs_.assign(units_.size() * units_.size(), 1);
  memory_.resize(units_.size());
}

std::size_t PlanCostTable::place(StageSpan span, int unit) const {
  return (index(unit) * index(stages_) + index(span.first - 1)) * index(stages_) + index(span.last - 1);
}

std::size_t PlanCostTable::way(int cut, int from, int to) const {
  const std::size_t ends = units_.size() + 1;
  return (index(cut) * ends + index(from + 1)) * ends + index(to + 1);
}

void PlanCostTable::set_time(StageSpan span, int unit, Nanoseconds whole, Nanoseconds fixed) {
  TAKT_CHECK(0 <= fixed.count() && fixed <= whole);
  times_[place(span, unit)] = {whole.count(), fixed.count(), true};
  if (span.count() == 1) add_up(unit);
}

/// Ranges that have no time of their own, from their single stages.
void PlanCostTable::add_up(int unit) {
  for (int first = 1; first <= stages_; ++first) {
    Time sum = times_[place({first, first}, unit)];
    for (int last = first + 1; last <= stages_; ++last) {
      const Time& next = times_[place({last, last}, unit)];
      const bool known = sum.whole >= 0 && next.whole >= 0;
      sum = known ? Time{sum.whole + next.whole, sum.fixed + next.fixed, false} : Time{};
      Time& range = times_[place({first, last}, unit)];
      if (!range.own) range = sum;
    }
  }
}

void PlanCostTable::set_transfer(int cut, int from, int to, Nanoseconds time) {
  transfers_[way(cut, from, to)] = time.count();
}

void PlanCostTable::set_slow_down(int unit, int beside, double factor) {
  slow_downs_[index(unit) * units_.size() + index(beside)] = factor;
  has_slow_downs_ = has_slow_downs_ || factor > 1;
}

void PlanCostTable::set_memory(int unit, std::vector<std::int64_t> stages, std::int64_t limit) {
  TAKT_CHECK(stages.size() == index(stages_));
  memory_[index(unit)] = {std::move(stages), limit};
}

std::optional<Nanoseconds> PlanCostTable::time(StageSpan span, int unit, double share) const {
  const Time& time = times_[place(span, unit)];
  if (time.whole < 0) return std::nullopt;
  const auto variable = static_cast<double>(time.whole - time.fixed);
  return Nanoseconds(time.fixed + std::llround(variable * share));
}

std::string PlanCostTable::why_missing(StageSpan span, int unit) const {
  for (int stage = span.first; stage <= span.last; ++stage)
    if (times_[place({stage, stage}, unit)].whole < 0)
      return fmt::format("the costs have no time of stage {} on {}", stage, units_[index(unit)]);
  return fmt::format("the costs have no time of stages {} on {}", to_string(span), units_[index(unit)]);
}

std::optional<Nanoseconds> PlanCostTable::transfer(int cut, int from, int to) const {
  return Nanoseconds(transfers_[way(cut, from, to)]);
}

std::optional<DivideCost> PlanCostTable::divide(StageSpan, const std::vector<int>&) const { return divide_; }

double PlanCostTable::slow_down(StageSpan, int unit, StageSpan, int beside) const {
  return slow_downs_[index(unit) * units_.size() + index(beside)];
}

std::optional<std::int64_t> PlanCostTable::memory(StageSpan span, int unit, double share) const {
  const Memory& memory = memory_[index(unit)];
  if (!memory.limit) return std::nullopt;
  double bytes = 0;
  for (int stage = span.first; stage <= span.last; ++stage)
    bytes += static_cast<double>(memory.stages[index(stage - 1)]) * share;
  return std::llround(bytes);
}

std::optional<std::int64_t> PlanCostTable::memory_limit(int unit) const { return memory_[index(unit)].limit; }

}  // namespace takt
