#include "plan/best_first.h"

#include <algorithm>
#include <bit>

#include "core/index.h"

namespace takt {

BestFirst::BestFirst(const PlanCosts& costs, const PlanChoices& choices, const PlanSearchSettings& settings,
                     std::int64_t batches)
    : costs_(costs),
      choices_(choices),
      settings_(settings),
      batches_(batches),
      bounds_(choices, settings.units_once),
      trials_(costs, choices, batches, settings.most_share_trials),
      bound_is_value_(!costs.has_slow_downs() && (settings.units_once || (batches == 1 && !memory_is_limited()))),
      passed_(bound_is_value_ ? bounds_.count() : 0) {}

FoundPlans BestFirst::run() {
  PartialPlan nothing;
  nothing.bound = bounds_.sum(nothing.front);
  if (nothing.bound < PlanChoices::impossible) push(nothing, {});
  while (!open_.empty()) {
    const std::int64_t bound = plans_[index(open_.front())].bound;
    if (bound >= worst_wanted()) break;
    if (spent() && !found_.best.empty()) {
      found_.untried = std::min(found_.untried, bound);
      break;
    }
    const int next = pop();
    if (spent()) {
      dive(next);
    } else if (!plans_[index(next)].extended && (!bound_is_value_ || !is_dominated(plans_[index(next)]))) {
      extend(next);
    }
  }
  found_.simulated = trials_.simulated();
  return std::move(found_);
}

bool BestFirst::memory_is_limited() const {
  for (int unit = 0; unit < static_cast<int>(costs_.units().size()); ++unit)
    if (costs_.memory_limit(unit)) return true;
  return false;
}

/// What a plan must be below to be among the best.
std::int64_t BestFirst::worst_wanted() const {
  return found_.best.size() < index(settings_.top) ? PlanChoices::impossible : found_.best.back().value;
}

bool BestFirst::spent() const {
  constexpr std::int64_t looked_at_for_each_kept = 50;
  return static_cast<std::int64_t>(plans_.size()) > settings_.most_nodes ||
         found_.looked_at > looked_at_for_each_kept * settings_.most_nodes ||
         trials_.simulated() > settings_.most_estimates;
}

/// Straight on to a plan that is complete, always with what looks best, as a search that ends must have one.
void BestFirst::dive(int number) {
  while (!plans_[index(number)].extended) {
    const std::size_t before = plans_.size();
    extend(number);
    const auto best = std::min_element(plans_.begin() + static_cast<std::ptrdiff_t>(before), plans_.end(),
                                       [](const auto& a, const auto& b) { return a.bound < b.bound; });
    if (best != plans_.end()) number = static_cast<int>(best - plans_.begin());
  }
}

/// By every block that may come next.
void BestFirst::extend(int number) {
  plans_[index(number)].extended = true;
  if (plans_[index(number)].front.done == choices_.stages()) return finish(number);
  const PlanFront front = plans_[index(number)].front;
  const int blocks_left = settings_.most_blocks.value_or(choices_.stages()) - plans_[index(number)].blocks;
  const Team free = bounds_.free(front);
  for (int last = blocks_left > 1 ? front.done + 1 : choices_.stages(); last <= choices_.stages(); ++last)
    for (Team team = 1; team <= free; ++team)
      if ((team & ~free) == 0) consider(number, last, team);
}

/// Places the stages up to `last` on the team, unless that cannot become one of the best.
void BestFirst::consider(int number, int last, Team team) {
  ++found_.looked_at;
  const PartialPlan& before = plans_[index(number)];
  const StageSpan stages{before.front.done + 1, last};
  const std::int64_t time = choices_.total(stages, team);
  if (time >= PlanChoices::impossible) return;
  const std::int64_t moved = choices_.transfer(before.front.done, before.front.end, choices_.end_of(team));
  if (moved >= PlanChoices::impossible) return;

  PartialPlan plan;
  plan.front = bounds_.beyond(before.front, last, team);
  if (bounds_.sum(plan.front) >= PlanChoices::impossible) return;
  plan.sum = before.sum + moved + time;
  plan.slowest = std::max({before.slowest, moved, time});
  plan.team = team;
  plan.blocks = before.blocks + 1;
  plan.before = number;
  Loads loads{};
  if (!settings_.units_once) {
    loads = loads_[index(number)];
    for (const int unit : units_in(team)) loads[index(unit)] += choices_.least_work(stages, unit, team);
  }
  plan.bound = bound_of(plan, loads);
  if (plan.bound >= worst_wanted()) return;
  if (!bound_is_value_ || last < choices_.stages()) return push(plan, loads);
  FoundPlan found{plan.bound, {}};
  for (const TeamBlock& block : blocks_of(plan))
    found.blocks.push_back(choices_.block(block.stages, block.team, choices_.best_steps(block.stages, block.team)));
  keep(std::move(found));
}

std::int64_t BestFirst::bound_of(const PartialPlan& plan, const Loads& loads) const {
  const std::int64_t slowest = std::max(plan.slowest, bounds_.slowest(plan.front));
  const std::int64_t bound = plan.sum + bounds_.sum(plan.front) + (batches_ - 1) * slowest;
  if (settings_.units_once) return bound;
  std::int64_t busiest = 0;
  for (const std::int64_t load : loads) busiest = std::max(busiest, std::min(load, PlanChoices::impossible / batches_));
  return std::max(bound, busiest * batches_);
}

/// As many as are wanted have come as far with the same units, and are behind in nothing. Else it is noted.
bool BestFirst::is_dominated(const PartialPlan& plan) {
  auto& passed = passed_[bounds_.number(plan.front)];
  const auto ahead = std::count_if(passed.begin(), passed.end(), [&](const Passed& other) {
    const bool fewer_blocks = !settings_.most_blocks || other.blocks <= plan.blocks;
    return other.sum <= plan.sum && other.slowest <= plan.slowest && fewer_blocks;
  });
  if (ahead >= settings_.top) return true;
  passed.push_back({plan.sum, plan.slowest, plan.blocks});
  return false;
}

std::vector<TeamBlock> BestFirst::blocks_of(const PartialPlan& plan) const {
  std::vector<TeamBlock> blocks;
  for (const PartialPlan* one = &plan; one->before >= 0; one = &plans_[index(one->before)])
    blocks.push_back({{plans_[index(one->before)].front.done + 1, one->front.done}, one->team});
  std::reverse(blocks.begin(), blocks.end());
  return blocks;
}

/// Behind those that are as good: what was found first stays first.
void BestFirst::keep(FoundPlan found) {
  if (found.value >= worst_wanted()) return;
  const auto place = std::upper_bound(found_.best.begin(), found_.best.end(), found.value,
                                      [](std::int64_t value, const FoundPlan& other) { return value < other.value; });
  found_.best.insert(place, std::move(found));
  if (found_.best.size() > index(settings_.top)) found_.best.pop_back();
}

/// A plan that is complete is simulated when its turn comes by the best bound, which takes longer to find than that of
/// plans that are not.
void BestFirst::finish(int number) {
  PartialPlan& plan = plans_[index(number)];
  const std::int64_t least = plan.tightened ? 0 : trials_.least_makespan_of(blocks_of(plan));
  plan.tightened = true;
  if (least <= plan.bound) return simulate_shares(plan);
  plan.bound = least;
  if (least >= worst_wanted()) return;
  plan.extended = false;
  open(number);
}

void BestFirst::simulate_shares(const PartialPlan& plan) {
  TriedPlan tried = trials_.best(blocks_of(plan), worst_wanted());
  if (!tried.all_tried) found_.untried = std::min(found_.untried, plan.bound);
  if (!tried.blocks.empty()) keep({tried.value, std::move(tried.blocks)});
}

/// Lowest bound first; of equal bounds what has come further, then what came first.
bool BestFirst::is_later(int a, int b) const {
  const PartialPlan &one = plans_[index(a)], &other = plans_[index(b)];
  if (one.bound != other.bound) return one.bound > other.bound;
  if (one.front.done != other.front.done) return one.front.done < other.front.done;
  return a > b;
}

void BestFirst::push(const PartialPlan& plan, const Loads& loads) {
  plans_.push_back(plan);
  if (!settings_.units_once) loads_.push_back(loads);
  open(static_cast<int>(plans_.size()) - 1);
}

void BestFirst::open(int number) {
  open_.push_back(number);
  std::push_heap(open_.begin(), open_.end(), [this](int a, int b) { return is_later(a, b); });
}

int BestFirst::pop() {
  std::pop_heap(open_.begin(), open_.end(), [this](int a, int b) { return is_later(a, b); });
  const int number = open_.back();
  open_.pop_back();
  return number;
}

}  // namespace takt
