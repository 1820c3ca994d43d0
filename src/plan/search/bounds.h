// What the rest of a plan takes at least, from every cut on: the bound that a search goes by.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/search/choices.h"

namespace takt {

/// How far a plan has come: `done` stages are placed, `used` units have their place (0 where units may serve several
/// blocks), and what it has computed lies at `end`, a unit or the host.
struct PlanFront {
  int done = 0;
  Team used = 0;
  int end = PlanCosts::host;
};

class PlanBounds {
 public:
  /// `choices` must outlive this.
  PlanBounds(const PlanChoices& choices, bool units_once);

  /// Σ over the rest's blocks and transfers, the last one to the host included; PlanChoices::impossible: there is no
  /// way.
  std::int64_t sum(const PlanFront& front) const { return sum_[number(front)]; }
  /// The slowest of them.
  std::int64_t slowest(const PlanFront& front) const { return slowest_[number(front)]; }

  /// Fronts have numbers from 0 to count() − 1.
  std::size_t number(const PlanFront& front) const {
    return (static_cast<std::size_t>(front.done) * used_ + front.used) * ends_ +
           static_cast<std::size_t>(front.end + 1);
  }
  std::size_t count() const { return sum_.size(); }

  /// Where a plan stands that places the stages up to `last` on the team.
  PlanFront beyond(const PlanFront& front, int last, Team team) const {
    return {last, units_once_ ? front.used | team : 0, choices_.end_of(team)};
  }
  /// Teams of these units may come next.
  Team free(const PlanFront& front) const { return choices_.all_units() & ~front.used; }

 private:
  void find(const PlanFront& front);

  const PlanChoices& choices_;
  bool units_once_;
  std::size_t used_, ends_;
  std::vector<std::int64_t> sum_, slowest_;
};

}  // namespace takt
