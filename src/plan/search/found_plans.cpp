#include "plan/search/found_plans.h"

#include <algorithm>

#include "base/basics/index.h"

namespace takt {
namespace {

bool same_cuts_and_units(const FoundPlan& a, const FoundPlan& b) {
  return std::equal(
      a.blocks.begin(), a.blocks.end(), b.blocks.begin(), b.blocks.end(),
      [](const PlacedBlock& x, const PlacedBlock& y) { return x.stages == y.stages && x.units == y.units; });
}

}  // namespace

std::int64_t FoundPlans::worst_among(int most) const {
  return best.size() < index(most) ? PlanChoices::impossible : best[index(most - 1)].value;
}

void FoundPlans::keep(FoundPlan found) {
  if (found.value >= worst_among(wanted)) return;
  const auto same =
      std::find_if(best.begin(), best.end(), [&](const FoundPlan& other) { return same_cuts_and_units(found, other); });
  if (same != best.end()) {
    if (same->value <= found.value) return;
    best.erase(same);
  }
  const auto place = std::upper_bound(best.begin(), best.end(), found.value,
                                      [](std::int64_t value, const FoundPlan& other) { return value < other.value; });
  best.insert(place, std::move(found));
  if (best.size() > index(wanted)) best.pop_back();
}

}  // namespace takt
