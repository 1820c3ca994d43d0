#include "plan/search/best_first.h"

#include <algorithm>

#include "base/basics/index.h"
#include "plan/estimate/estimate.h"
#include "plan/search/early_plans.h"

namespace takt {

BestFirst::BestFirst(const PlanCosts& costs, const PlanChoices& choices, const PlanSearchSettings& settings,
                     std::int64_t batches)
    : costs_(costs),
      choices_(choices),
      settings_(settings),
      batches_(batches),
      plans_(costs, choices, settings, batches),
      trials_(costs, choices, batches, settings.most_share_trials, {settings.most_estimates, settings.most_executions}),
      sums_decide_(plans_.bound_is_value() && batches == 1 && plans_.memory_adds_up() && !settings.most_blocks),
      passed_(plans_.bound_is_value() ? plans_.bounds().count() : 0) {}

FoundPlans BestFirst::run(FoundPlans found) {
  found_ = std::move(found);
  begin();
  while (!open_.empty()) {
    const std::int64_t bound = plans_[open_.front()].bound;
    if (bound >= worst_wanted()) break;
    if (found_.end = limit_reached(); found_.end != SearchEnd::complete) {
      found_.untried = std::min(found_.untried, bound);
      if (found_.best.empty()) find_early_plans();
      break;
    }
    const int next = pop();
    if (!plans_[next].extended && (!plans_.bound_is_value() || !is_dominated(plans_[next]))) extend(next);
  }
  found_.kept = std::max(found_.kept, plans_.size());
  found_.bytes = std::max(found_.bytes, bytes());
  found_.looked_at += plans_.looked_at();
  found_.simulated += trials_.simulated();
  return std::move(found_);
}

/// Where the best is not found by adding up times alone, a plan is known first.
bool BestFirst::is_hard() const { return !plans_.bound_is_value() || plans_.memory_adds_up(); }

void BestFirst::begin() {
  if (is_hard()) find_early_plans();
  if (const auto nothing = plans_.nothing()) open(plans_.add(*nothing));
}

/// Twice where memory has a price: the first plan tells how high it may be.
void BestFirst::find_early_plans() {
  EarlyPlans early(plans_, trials_, settings_, choices_.stages());
  early.find(found_);
  if (!plans_.memory_adds_up()) return;
  std::optional<std::int64_t> latency;
  if (!found_.best.empty()) latency = undisturbed_makespan(times_of(found_.best.front().blocks, costs_), 1).count();
  plans_.price_memory(latency);
  early.find(found_);
}

std::int64_t BestFirst::bytes() const {
  return plans_.size() * static_cast<std::int64_t>(sizeof(PartialPlan) + sizeof(int)) + passed_.bytes();
}

SearchEnd BestFirst::limit_reached() const {
  constexpr std::int64_t looked_at_for_each_kept = 20;
  if (plans_.size() > settings_.most_nodes || plans_.looked_at() > looked_at_for_each_kept * settings_.most_nodes)
    return SearchEnd::partial_plans;
  if (bytes() > settings_.most_bytes) return SearchEnd::memory;
  return trials_.spent() ? SearchEnd::simulations : SearchEnd::complete;
}

/// By every block that may come next. A plan that is then complete is kept, if its bound is its time.
void BestFirst::extend(int number) {
  plans_[number].extended = true;
  if (plans_[number].front.done == choices_.stages()) return finish(number);
  for (const PartialPlan& plan : plans_.extensions(number, worst_wanted())) {
    if (plan.bound >= worst_wanted()) continue;
    if (plans_.bound_is_value() && plan.front.done == choices_.stages()) {
      if (auto blocks = plans_.with_best_shares(plan)) {
        found_.keep({plan.bound, std::move(*blocks)});
        continue;
      }
    }
    if (is_among_the_shortest(plan)) open(plans_.add(plan));
  }
}

/// Of those that keep the same. Where more counts than sum and memory, that is not asked.
bool BestFirst::is_among_the_shortest(const PartialPlan& plan) {
  if (!sums_decide_ || !plan.exact) return true;
  return passed_.note_sum(plans_.bounds().number(plan.front), plans_.least_kept(plan), plan.sum, settings_.top);
}

/// As many as are wanted have come as far with the same units, and are behind in nothing. Else it is noted. What a
/// divided block keeps is not known before its shares are: the others are taken with those that are best for them, and
/// this one with the least.
bool BestFirst::is_dominated(const PartialPlan& plan) {
  Passage passage{plan.sum, batches_ > 1 ? plan.slowest : 0, settings_.most_blocks ? plan.blocks : 0,
                  plans_.least_kept(plan)};
  const std::size_t front = plans_.bounds().number(plan.front);
  if (sums_decide_ && plan.exact && passed_.is_behind(front, passage.kept, plan.sum, settings_.top)) return true;
  if (passed_.ahead(front, passage, settings_.top) >= settings_.top) return true;
  passage.kept = plans_.kept_divided(plan);
  passed_.add(front, passage);
  return false;
}

/// A plan that is complete is simulated when its turn comes by the best bound, which takes longer to find than that of
/// plans that are not.
void BestFirst::finish(int number) {
  PartialPlan& plan = plans_[number];
  const std::int64_t least = plan.tightened ? 0 : trials_.least_makespan_of(plans_.blocks_of(plan));
  plan.tightened = true;
  if (least <= plan.bound) return simulate_shares(plan);
  plan.bound = least;
  if (least >= worst_wanted()) return;
  plan.extended = false;
  open(number);
}

void BestFirst::simulate_shares(const PartialPlan& plan) {
  TriedPlan tried = trials_.best(plans_.blocks_of(plan), worst_wanted());
  if (!tried.all_tried) found_.untried = std::min(found_.untried, plan.bound);
  if (!tried.blocks.empty()) found_.keep({tried.value, std::move(tried.blocks)});
}

/// Lowest bound first; of equal bounds what has come further, then what came first.
bool BestFirst::is_later(int a, int b) const {
  const PartialPlan &one = plans_[a], &other = plans_[b];
  if (one.bound != other.bound) return one.bound > other.bound;
  if (one.front.done != other.front.done) return one.front.done < other.front.done;
  return a > b;
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
