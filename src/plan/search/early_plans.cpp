#include "plan/search/early_plans.h"

#include <algorithm>
#include <tuple>

#include "base/basics/index.h"

namespace takt {
namespace {

constexpr std::size_t kept_per_level = 200;

auto place_of(const PartialPlan& plan) { return std::tuple(plan.front.used, plan.front.end, plan.sum); }

}  // namespace

void EarlyPlans::find(FoundPlans& found) {
  const auto nothing = plans_.nothing();
  if (!nothing) return;
  std::vector<Level> levels(index(stages_) + 1);
  levels.front() = {*nothing};
  for (int done = 0; done < stages_; ++done) {
    thin_out(levels[index(done)]);
    for (const PartialPlan& plan : levels[index(done)])
      for (const PartialPlan& next : plans_.extensions(plans_.add(plan), found.worst_among(settings_.top))) {
        Level& level = levels[index(next.front.done)];
        level.push_back(next);
        if (level.size() > 10 * kept_per_level) thin_out(level);
      }
  }
  thin_out(levels.back());
  finish(std::move(levels.back()), found);
  plans_.clear();
}

void EarlyPlans::thin_out(Level& level) const {
  std::stable_sort(level.begin(), level.end(), [](const PartialPlan& a, const PartialPlan& b) {
    return std::tuple(a.bound, place_of(a), a.blocks) < std::tuple(b.bound, place_of(b), b.blocks);
  });
  level.erase(std::unique(level.begin(), level.end(),
                          [](const PartialPlan& a, const PartialPlan& b) { return place_of(a) == place_of(b); }),
              level.end());
  if (level.size() > kept_per_level) level.resize(kept_per_level);
}

void EarlyPlans::finish(Level complete, FoundPlans& found) {
  for (const PartialPlan& plan : complete) {
    const std::int64_t wanted = found.worst_among(settings_.top);
    if (plan.bound >= wanted || (trials_.spent() && !found.best.empty())) return;
    if (plans_.bound_is_value()) {
      if (auto blocks = plans_.with_best_shares(plan)) {
        found.keep({plan.bound, std::move(*blocks)});
        continue;
      }
    }
    TriedPlan tried = trials_.best(plans_.blocks_of(plan), wanted);
    if (!tried.blocks.empty()) found.keep({tried.value, std::move(tried.blocks)});
  }
}

}  // namespace takt
