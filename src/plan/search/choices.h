// The best that every team of units can do for every range of stages: what a search for plans puts together.
//
// Shares are whole steps of 1/steps. In a divided block all parts are waited for, so the best division is the one whose
// longest part is shortest; as times never fall with the share, it is found by bisection, exactly for these steps.
// Where the parts slow each other down, all divisions in two are looked at; of those among more units only the least
// time is known then, that of parts which do not. A share of 0 is another team's choice, that without the unit.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "plan/estimate/flow.h"

namespace takt {

/// Units as bits: unit u is in the team if bit u is set.
using Team = unsigned;

struct ChoiceSettings {
  int steps = 1000;
  bool divide = true;        ///< teams of several units, too
  std::int64_t batches = 1;  ///< of the streams that the times are summed up over
  /// The parts of a block start at the same time, as no unit has another block to serve: if they slow each other down,
  /// they do.
  bool parts_start_together = true;
};

class PlanChoices {
 public:
  static constexpr std::int64_t impossible = std::numeric_limits<std::int64_t>::max() / 8;
  static constexpr int most_units = 8;

  /// `costs` must outlive this. Throws Error(bad_input) for more than most_units units, none, no stage, and for a time
  /// so long that sums over the batches would not fit.
  PlanChoices(const PlanCosts& costs, const ChoiceSettings& settings);

  int stages() const { return stages_; }
  int units() const { return units_; }
  Team all_units() const { return (Team{1} << units_) - 1; }

  /// Partition, parts and merge of the best division, or less; impossible: the team cannot run these stages.
  std::int64_t total(StageSpan stages, Team team) const { return totals_[place(stages) * teams() + team]; }
  /// In units of 1/steps, one for each unit of the team in ascending order; those that total() is of.
  std::vector<int> best_steps(StageSpan stages, Team team) const;
  /// With these steps.
  PlacedBlock block(StageSpan stages, Team team, const std::vector<int>& steps) const;
  /// Returns a lower bound of the work of a part: its time with the smallest share.
  std::int64_t least_work(StageSpan stages, int unit, Team team) const;

  /// Where a team takes its batches and leaves its results: the unit, or the host if it divides them.
  int end_of(Team team) const;
  std::int64_t transfer(int cut, int from, int to) const {
    return transfers_[(static_cast<std::size_t>(cut) * ends() + end(from)) * ends() + end(to)];
  }
  int steps() const { return settings_.steps; }
  bool parts_start_together() const { return settings_.parts_start_together; }

 private:
  std::size_t teams() const { return std::size_t{1} << units_; }
  std::size_t ends() const { return static_cast<std::size_t>(units_) + 1; }
  static std::size_t end(int unit) { return static_cast<std::size_t>(unit) + 1; }
  std::size_t place(StageSpan stages) const {
    return static_cast<std::size_t>(stages.first - 1) * static_cast<std::size_t>(stages_) +
           static_cast<std::size_t>(stages.last - 1);
  }
  std::int64_t part_time(StageSpan stages, int unit, int steps) const;
  std::int64_t checked(Nanoseconds time) const;
  int most_steps_within(StageSpan stages, int unit, std::int64_t time, int most) const;
  std::vector<int> steps_within(StageSpan stages, const std::vector<int>& units, std::int64_t time) const;
  std::int64_t time_enough(StageSpan stages, const std::vector<int>& units) const;
  std::vector<int> divided(StageSpan stages, const std::vector<int>& units) const;
  std::vector<int> divided_in_two(StageSpan stages, const std::vector<int>& units) const;
  double own_slow_down(StageSpan stages, const std::vector<int>& units) const;
  std::vector<int> find_best_steps(StageSpan stages, const std::vector<int>& units) const;
  std::vector<int> least_disturbed(StageSpan stages, const std::vector<int>& units, double factor) const;
  std::int64_t total_of(StageSpan stages, const std::vector<int>& units, const std::vector<int>& steps) const;
  void divide_all();

  const PlanCosts& costs_;
  ChoiceSettings settings_;
  int stages_, units_;
  std::int64_t longest_;  ///< time that still fits
  std::vector<std::int64_t> totals_, transfers_;
  std::vector<int> steps_;  ///< of divided blocks by stages, team and unit of the team; 0: they cannot do it together
};

/// In ascending order.
std::vector<int> units_in(Team team);

}  // namespace takt
