// What memory does to plans whose units serve several blocks: all that a unit keeps must fit into it at once.
//
// A plan that is begun is given up where a unit keeps more than it has, and where the stages that are left need more
// than all units have left. What the rest takes at least follows from prices (Lagrange multipliers; Handler, Zang: A
// dual algorithm for the constrained shortest path problem, 1980): if a byte of a unit has a price, the least that
// times and prices of the rest come to, less the price of the memory that is left, is no more than the rest takes
// within the limits. Any prices will do; those are found for which the bound of all plans is highest.
//
// What a divided block keeps depends on its shares: its parts count here as if each had the smallest share there is.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "plan/search/bounds.h"

namespace takt {

class MemoryBounds {
 public:
  /// By unit.
  using Bytes = std::array<std::int64_t, PlanChoices::most_units>;

  /// `costs` and `choices` must outlive this.
  MemoryBounds(const PlanCosts& costs, const PlanChoices& choices);

  /// Adds what a block keeps on the units of the team at least.
  void add_least(Bytes& kept, StageSpan stages, Team team) const;
  /// Adds what it keeps with the shares of PlanChoices::best_steps().
  void add_divided(Bytes& kept, StageSpan stages, Team team);

  /// Whether what the block keeps depends on its shares.
  bool depends_on_shares(Team team) const { return (team & (team - 1)) != 0 && (team & limited_team_) != 0; }

  /// Whether every unit has what it keeps, and all together what the stages behind `done` need at least.
  bool fits(int done, const Bytes& kept) const;
  /// What the rest takes at least, in ns, the last transfer included; PlanChoices::impossible: there is no way.
  std::int64_t rest(const PlanFront& front, const Bytes& kept) const;

  /// Looks for prices; `enough`: the latency of a plan that fits, if one is known.
  void find_prices(std::optional<std::int64_t> enough);

  /// What all stages need at least on units with a limit, and what these have.
  std::int64_t needed() const { return needed_.front(); }
  std::int64_t available() const;

 private:
  using Prices = std::array<double, PlanChoices::most_units>;
  struct Step {
    int last = 0;
    Team team = 0;
  };
  std::int64_t whole(StageSpan stages, int unit) const { return whole_[place(stages, unit)]; }
  std::int64_t least(StageSpan stages, int unit, Team team) const;
  std::size_t place(StageSpan stages, int unit) const;
  std::size_t front(int done, int end) const;
  void find_needed();
  double price_rest(const Prices& prices);
  Bytes kept_by_cheapest() const;

  const PlanCosts& costs_;
  const PlanChoices& choices_;
  std::vector<int> limited_;  ///< units
  Team limited_team_ = 0;     ///< the same
  Bytes limits_{};
  std::vector<std::int64_t> whole_, smallest_;  ///< by stages and unit: with the whole batch, with the smallest share
  std::vector<std::int64_t> needed_;            ///< by stages that are done
  Prices prices_{};                             ///< ns for all that a unit has
  std::vector<double> rest_;                    ///< by front, with prices
  std::vector<Step> cheapest_;                  ///< by front: the next block of the cheapest rest
  std::unordered_map<std::size_t, Bytes> divided_;
};

/// Whether memory limits what plans together keep on a unit: it has a limit, and it may serve several blocks.
bool memory_adds_up(const PlanCosts& costs, bool units_once);

}  // namespace takt
