#include "plan/search/share_trials.h"

#include <algorithm>

#include "base/basics/index.h"
#include "plan/estimate/estimate.h"

namespace takt {
namespace {

constexpr int coarse_steps = 20;
constexpr std::int64_t executions_per_look_up = 4;  // takes as long

/// All ways to part `steps` into multiples of `every`, none of them 0.
void add_divisions(int steps, int every, std::size_t parts, std::vector<int>& begun,
                   std::vector<std::vector<int>>& all) {
  if (begun.size() + 1 == parts) {
    all.push_back(begun);
    all.back().push_back(steps);
    return;
  }
  const int later = static_cast<int>(parts - begun.size()) - 1;
  for (int part = every; part <= steps - later * every; part += every) {
    begun.push_back(part);
    add_divisions(steps - part, every, parts, begun, all);
    begun.pop_back();
  }
}

/// C(steps − 1, parts − 1), or more than `most` of them.
std::int64_t number_of_divisions(std::int64_t steps, std::size_t parts, std::int64_t most) {
  std::int64_t number = 1;
  for (std::int64_t i = 1; i < static_cast<std::int64_t>(parts); ++i) {
    number = number * (steps - i) / i;
    if (number > most) return number;
  }
  return number;
}

}  // namespace

std::int64_t ShareTrials::least_makespan_of(const std::vector<TeamBlock>& plan) const {
  std::vector<PlacedBlock> blocks;
  for (const TeamBlock& block : plan) {
    if (units_in(block.team).size() > 2) return 0;
    blocks.push_back(choices_.block(block.stages, block.team, choices_.best_steps(block.stages, block.team)));
  }
  const auto found = times_or_reason(blocks, costs_);
  const auto* times = std::get_if<PlanTimes>(&found);
  return times ? least_makespan(blocks, *times, costs_, batches_).count() : 0;
}

TriedPlan ShareTrials::best(const std::vector<TeamBlock>& blocks, std::int64_t below) {
  plan_ = blocks;
  best_ = {below, {}, false};
  cut_short_ = false;
  ShareSteps undisturbed;
  for (const TeamBlock& block : blocks) undisturbed.push_back(choices_.best_steps(block.stages, block.team));
  const bool possible = try_steps(undisturbed);
  // Bounds are a few nanoseconds lower than what a simulation rounds to.
  const bool at_bound = !best_.blocks.empty() && best_.value - least_makespan_of(blocks) <= best_.value / 1'000'000;
  const bool exact = possible && sums_are_exact(placed_with(undisturbed), costs_, batches_);
  best_.all_tried = exact || at_bound || try_grid(1) || (choices_.parts_start_together() && try_boxes(undisturbed));
  if (cut_short_) best_.all_tried = false;
  if (best_.all_tried || cut_short_) return std::move(best_);
  if (choices_.steps() % coarse_steps == 0) try_grid(choices_.steps() / coarse_steps);
  try_around_best();
  return std::move(best_);
}

std::vector<PlacedBlock> ShareTrials::placed_with(const ShareSteps& steps) const {
  std::vector<PlacedBlock> blocks;
  for (std::size_t b = 0; b < plan_.size(); ++b)
    blocks.push_back(choices_.block(plan_[b].stages, plan_[b].team, steps[b]));
  return blocks;
}

/// Kept if it is better than what was tried. What cannot be better whatever else runs is not simulated. False:
/// the shares are not possible together, for lack of memory.
bool ShareTrials::try_steps(const ShareSteps& steps) {
  auto blocks = placed_with(steps);
  cut_short_ = cut_short_ || spent();
  if (cut_short_) return true;
  executions_ += executions_per_look_up * static_cast<std::int64_t>(blocks.size());
  const auto found = times_or_reason(blocks, costs_);
  const auto* times = std::get_if<PlanTimes>(&found);
  if (!times) return false;
  if (least_makespan(blocks, *times, costs_, batches_).count() >= best_.value) return true;
  if (!sums_are_exact(blocks, costs_, batches_)) executions_ += batches_ * static_cast<std::int64_t>(blocks.size());
  ++simulated_;
  const std::int64_t value = makespan_of(blocks, *times, costs_, batches_).count();
  if (value >= best_.value) return true;
  best_.value = value;
  best_.blocks = std::move(blocks);
  best_steps_ = steps;
  return true;
}

/// Shares that are multiples of `every` steps; false: they are too many, and none was tried.
bool ShareTrials::try_grid(int every) {
  std::vector<ShareSteps> divisions;  // by block: all of them
  std::int64_t number = 1;
  for (const TeamBlock& block : plan_) {
    const std::size_t parts = units_in(block.team).size();
    number *= number_of_divisions(choices_.steps() / every, parts, most_);
    if (number > most_) return false;
    std::vector<int> begun;
    add_divisions(choices_.steps(), every, parts, begun, divisions.emplace_back());
  }
  if (number == 0) return true;
  std::vector<std::size_t> turn(plan_.size());
  for (;;) {
    ShareSteps steps;
    for (std::size_t b = 0; b < plan_.size(); ++b) steps.push_back(divisions[b][turn[b]]);
    try_steps(steps);
    if (cut_short_) return false;
    std::size_t b = 0;
    while (b < turn.size() && ++turn[b] == divisions[b].size()) turn[b++] = 0;
    if (b == turn.size()) return true;
  }
}

/// All shares, beginning with those near these; boxes of them of which none can be better are given up. False: that was
/// too much work.
bool ShareTrials::try_boxes(const ShareSteps& near) {
  constexpr int looked_at_for_each_simulated = 20;
  std::vector<std::size_t> units;
  for (const TeamBlock& block : plan_) units.push_back(units_in(block.team).size());
  std::vector<ShareBox> open{ShareBox(units, choices_.steps())};
  const std::int64_t enough = simulated_ + most_;
  for (int looked_at = 0; !open.empty(); ++looked_at) {
    if (cut_short_ || simulated_ >= enough || looked_at > looked_at_for_each_simulated * most_) return false;
    ShareBox box = std::move(open.back());
    open.pop_back();
    if (!box.tighten()) continue;
    if (box.is_single()) {
      try_steps(box.least());
      continue;
    }
    const auto blocks = placed_with(box.least());
    executions_ += executions_per_look_up * static_cast<std::int64_t>(blocks.size());
    const auto found = times_or_reason(blocks, costs_);
    const auto* times = std::get_if<PlanTimes>(&found);
    if (!times || least_makespan(blocks, *times, costs_, batches_).count() >= best_.value) continue;
    auto [first, second] = box.halves(near);
    open.push_back(std::move(second));
    open.push_back(std::move(first));
  }
  return true;
}

/// Steps are moved from one unit of a block to another, fewer and fewer, as long as that helps.
void ShareTrials::try_around_best() {
  if (best_.blocks.empty()) return;
  for (int moved = std::max(1, choices_.steps() / 40); moved > 0; moved /= 3)
    for (bool better = true; better && !cut_short_;) {
      const std::int64_t before = best_.value;
      for (std::size_t b = 0; b < plan_.size(); ++b)
        for (std::size_t from = 0; from < best_steps_[b].size(); ++from)
          for (std::size_t to = 0; to < best_steps_[b].size(); ++to) {
            ShareSteps steps = best_steps_;
            if (from == to || steps[b][from] <= moved) continue;
            steps[b][from] -= moved;
            steps[b][to] += moved;
            try_steps(steps);
          }
      better = best_.value < before;
    }
}

}  // namespace takt
