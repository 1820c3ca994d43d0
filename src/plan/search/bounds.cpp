#include "plan/search/bounds.h"

#include <algorithm>

#include "base/basics/index.h"

namespace takt {

PlanBounds::PlanBounds(const PlanChoices& choices, bool units_once)
    : choices_(choices),
      units_once_(units_once),
      used_(units_once ? std::size_t{choices.all_units()} + 1 : 1),
      ends_(index(choices.units()) + 1) {
  sum_.assign((index(choices.stages()) + 1) * used_ * ends_, PlanChoices::impossible);
  slowest_ = sum_;
  for (int done = choices.stages(); done >= 0; --done)
    for (Team used = 0; used < used_; ++used)
      for (int end = PlanCosts::host; end < choices.units(); ++end) find({done, used, end});
}

/// From what is known of the fronts behind it.
void PlanBounds::find(const PlanFront& front) {
  std::int64_t &sum = sum_[number(front)], &slowest = slowest_[number(front)];
  if (front.done == choices_.stages()) {
    sum = slowest = choices_.transfer(front.done, front.end, PlanCosts::host);
    return;
  }
  const Team free = this->free(front);
  for (int last = front.done + 1; last <= choices_.stages(); ++last)
    for (Team team = free; team != 0; team = (team - 1) & free) {
      const std::int64_t time = choices_.total({front.done + 1, last}, team);
      if (time >= PlanChoices::impossible) continue;
      const std::int64_t moved = choices_.transfer(front.done, front.end, choices_.end_of(team));
      const PlanFront next = beyond(front, last, team);
      if (moved >= PlanChoices::impossible || this->sum(next) >= PlanChoices::impossible) continue;
      sum = std::min(sum, moved + time + this->sum(next));
      slowest = std::min(slowest, std::max({moved, time, this->slowest(next)}));
    }
}

}  // namespace takt
