#include "plan/search/random_plan.h"

#include <optional>

#include "base/statistics/random.h"

namespace takt {
namespace {

/// The shares of one block, all of them.
void every_division(int steps, std::size_t parts, std::vector<int>& begun,
                    const std::function<void(const std::vector<int>&)>& visit) {
  if (begun.size() + 1 == parts) {
    begun.push_back(steps);
    visit(begun);
    begun.pop_back();
    return;
  }
  for (int part = 1; part < steps; ++part) {
    begun.push_back(part);
    every_division(steps - part, parts, begun, visit);
    begun.pop_back();
  }
}

struct Walk {
  const PlanCosts& costs;
  int steps;
  bool once;
  const std::function<void(const Plan&, std::uint64_t)>& visit;

  void go(Plan& plan, unsigned used, std::uint64_t structure) const {
    const int first = plan.blocks.empty() ? 1 : plan.blocks.back().stages.last + 1;
    if (first > costs.stages()) return visit(plan, structure);
    const unsigned all = (1u << costs.units().size()) - 1;
    for (int last = first; last <= costs.stages(); ++last)
      for (unsigned team = 1; team <= all; ++team) {
        if (once && (team & used) != 0) continue;
        std::vector<std::string> units;
        for (std::size_t u = 0; u < costs.units().size(); ++u)
          if ((team >> u) % 2 == 1) units.push_back(costs.units()[u]);
        std::vector<int> begun;
        every_division(steps, units.size(), begun, [&](const std::vector<int>& shares) {
          PlanBlock block{{first, last}, {}};
          for (std::size_t p = 0; p < units.size(); ++p)
            block.parts.push_back({units[p], static_cast<double>(shares[p]) / steps});
          plan.blocks.push_back(block);
          go(plan, used | team, (structure * 64 + static_cast<unsigned>(last)) * 64 + team);
          plan.blocks.pop_back();
        });
      }
  }
};

bool runs(const PlanBlock& block, const PlanCosts& costs) {
  for (const PlanPart& part : block.parts)
    for (std::size_t u = 0; u < costs.units().size(); ++u)
      if (costs.units()[u] == part.unit && !costs.time(block.stages, static_cast<int>(u), part.share)) return false;
  return true;
}

}  // namespace

Plan random_plan(std::uint64_t seed, const PlanCosts& costs, bool once) {
  Random random(seed ^ 0x91a);
  const auto roll = [&](std::size_t most) { return static_cast<std::size_t>(random() % (most + 1)); };
  for (;;) {
    Plan plan;
    bool possible = true;
    std::vector<std::string> left = costs.units();
    for (int first = 1; first <= costs.stages() && possible;) {
      PlanBlock block{{first, first + static_cast<int>(roll(static_cast<std::size_t>(costs.stages() - first)))}, {}};
      if (!once) left = costs.units();
      for (std::size_t u = left.size(); u-- > 0;) {
        if (roll(2) > 0) continue;
        block.parts.push_back({left[u], static_cast<double>(1 + roll(9))});
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(u));
      }
      double whole = 0;
      for (const PlanPart& part : block.parts) whole += part.share;
      for (PlanPart& part : block.parts) part.share /= whole;
      possible = !block.parts.empty() && runs(block, costs);
      first = block.stages.last + 1;
      plan.blocks.push_back(block);
    }
    if (possible) return plan;
  }
}

void every_plan(const PlanCosts& costs, int steps, bool once,
                const std::function<void(const Plan&, std::uint64_t)>& visit) {
  const std::function<void(const Plan&, std::uint64_t)> visit_possible = [&](const Plan& plan, std::uint64_t number) {
    for (const PlanBlock& block : plan.blocks)
      if (!runs(block, costs)) return;
    visit(plan, number);
  };
  Plan plan;
  Walk{costs, steps, once, visit_possible}.go(plan, 0, 0);
}

}  // namespace takt
