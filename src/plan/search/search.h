// The best plans for given costs.
//
// Problem: all contiguous cuts of the stages × a team of units for every block × the shares of divided blocks. Seven
// stages on three units have 169 cuts with teams, thirty on six have some 10^13.
//
// Idea: partial plans, stages from the front, are extended in the order of a bound that no completion of theirs can be
// below (Hart, Nilsson, Raphael: A formal basis for the heuristic determination of minimum cost paths, 1968):
//
//   time of what is placed + least time of the rest + (batches − 1) · the slowest block and transfer at least
//
// where both least values of the rest are known from the back for every set of units that are still free. Where the
// bound is the plan's time itself (no unit serves two blocks, no slow-downs: src/plan/estimate/estimate.h) the first
// plans to be complete are the best, with the shares at which the longest part is shortest. Of partial plans that have
// come equally far with the same units, one that is behind in sum and in slowest block alike is given up, unless more
// are wanted. Otherwise every plan that comes up is simulated, and the search ends when the bound has reached the best
// that was simulated: nothing that is left can be better. Shares are then tried around those of the undisturbed
// optimum, all of them where they are few.
//
// Where units have little memory and serve several blocks, partial plans know what their units keep (memory_bounds.h).
// Where bounds are not the plan's time, searches among some of the plans come first - undivided blocks, units that
// serve one block - and a quick look for good plans (early_plans.h): what they find gives up others, and a plan is
// known whenever the search ends.
//
// A search that would take too long ends early and says how far from the best it may be at most: bounds of what it has
// not tried are kept. It counts steps and bytes, not seconds, so the same costs give the same answer on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "plan/estimate/estimate.h"

namespace takt {

enum class PlanObjective {
  latency,     ///< of a batch that is alone
  throughput,  ///< the makespan of a stream
};

std::string_view objective_name(PlanObjective objective);  ///< "latency", "throughput"
/// What the time of a plan is for: "a batch" that is alone, "for 16 batches" of a stream.
std::string objective_words(PlanObjective objective, std::int64_t batches);

struct PlanSearchSettings {
  PlanObjective objective = PlanObjective::latency;
  std::int64_t batches = 16;         ///< of the stream
  int steps = 1000;                  ///< shares are multiples of 1/steps
  bool divide = true;                ///< blocks on several units
  bool units_once = true;            ///< false: a unit may serve several blocks, which take turns there
  std::optional<int> most_blocks{};  ///< nullopt: as many as there are stages
  int top = 5;                       ///< plans wanted, each with cuts and units of its own
  /// Each ends the search early: partial plans that are kept (20 times as many may be looked at), their bytes,
  /// simulations, and executions: batches × blocks that are simulated, and four for every block whose time is looked
  /// up.
  std::int64_t most_nodes = 2'000'000;
  std::int64_t most_bytes = std::int64_t{256} << 20;
  std::int64_t most_estimates = 20'000;
  std::int64_t most_executions = 3'000'000;
  int most_share_trials = 400;  ///< simulated per plan before shares are only tried around the best
};

struct RankedPlan {
  Plan plan;
  PlanEstimate estimate;
  Nanoseconds value{};  ///< the objective: estimate.latency or estimate.makespan
  bool proven = false;  ///< no plan but those before it is better by more than 10 ns or a millionth of its time
};

/// What a search ended for.
enum class SearchEnd {
  complete,       ///< nothing was left that could be better, but for shares that were not tried
  partial_plans,  ///< PlanSearchSettings::most_nodes
  memory,         ///< most_bytes
  simulations,    ///< most_estimates or most_executions
};

std::string_view end_name(SearchEnd end);  ///< "complete", "partial_plans" and so on

struct PlanSearch {
  std::vector<RankedPlan> plans;          ///< the best first
  std::optional<RankedPlan> best_single;  ///< of all plans on one unit; nullopt: no unit can run everything
  Nanoseconds lower_bound{};              ///< no plan is below
  std::int64_t nodes = 0, estimates = 0;  ///< partial plans that were looked at, plans that were simulated
  SearchEnd end = SearchEnd::complete;
  std::int64_t kept = 0, bytes = 0;  ///< partial plans that were kept at once, at most, and the memory they took

  bool optimal() const { return !plans.empty() && plans.front().proven; }
  /// How much of its time the best plan could lose at most if the search had gone on; 0 if it is optimal.
  double gap() const;
};

/// Throws Error(bad_input) where no plan is possible, naming a stage that no unit runs if that is why, and as
/// PlanChoices does.
PlanSearch search_plans(const PlanCosts& costs, const PlanSearchSettings& settings = {});

/// Leaves out plans that are no better than another with the same cuts and fewer units, such as those that give a unit
/// the least share there is; then all but the first `most`.
void keep_plans_with_a_point(PlanSearch& search, int most);

/// The best of these candidates; of several with the same cuts and units the one with the best shares. Those that are
/// not possible are left out. `proven` is among them. Of the settings, objective, batches and top count. Throws
/// Error(bad_input) where none is possible, and as search_plans does.
PlanSearch rank_plans(const std::vector<Plan>& candidates, const PlanCosts& costs, const PlanSearchSettings& settings);

}  // namespace takt
