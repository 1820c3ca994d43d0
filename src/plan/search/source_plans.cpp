#include "plan/search/source_plans.h"

#include <array>
#include <cmath>
#include <utility>

#include "base/basics/text.h"

namespace takt {
namespace {

struct NamedPlan {
  std::string_view name, text;
};

constexpr std::array named{
    NamedPlan{"PEP1", "CPU+GPU[1-5 0.30/0.70] | NPU[6-7]"},
    NamedPlan{"PEP2", "CPU[1-4] | GPU+NPU[5-7 0.70/0.30]"},
    NamedPlan{"PEP3", "CPU+GPU[1-4 0.30/0.70] | NPU[5-7]"},
    NamedPlan{"cpu_only", "CPU[1-7]"},
    NamedPlan{"gpu_only", "GPU[1-7]"},
    NamedPlan{"3block", "CPU[1-2] | GPU[3-5] | NPU[6-7]"},
};

/// Who may take a block: one unit, or CPU and GPU with each of the shares.
std::vector<std::vector<PlanPart>> teams_of(const PlanRules& rules, const SourcePlanSettings& settings) {
  std::vector<std::vector<PlanPart>> teams;
  for (const std::string& unit : rules.units) teams.push_back({{unit, 1}});
  // 1 − 0.7 is not 0.3 in binary; what is written with two decimals shall be read as the same number.
  for (const double share : settings.shares)
    teams.push_back({{"CPU", share}, {"GPU", std::round((1 - share) * 1e6) / 1e6}});
  return teams;
}

/// Continues `plan` in every way that ends with exactly `blocks` blocks and breaks no rule.
void extend(Plan& plan, int blocks, const PlanRules& rules, const std::vector<std::vector<PlanPart>>& teams,
            std::vector<Plan>& found) {
  const int first = plan.blocks.empty() ? 1 : plan.blocks.back().stages.last + 1;
  const int left = blocks - static_cast<int>(plan.blocks.size());
  if (left == 0) {
    if (!broken_rule(plan, rules)) found.push_back(plan);
    return;
  }
  for (int last = left == 1 ? rules.stages : first; last <= rules.stages - (left - 1); ++last)
    for (const auto& team : teams) {
      plan.blocks.push_back({{first, last}, team});
      extend(plan, blocks, rules, teams, found);
      plan.blocks.pop_back();
    }
}

}  // namespace

PlanRules rules_for(Network network) {
  PlanRules rules;
  const auto& stages = stages_of(network);
  rules.stages = static_cast<int>(stages.size());
  for (int stage = 1; stage <= rules.stages; ++stage)
    if (stages[static_cast<std::size_t>(stage) - 1].scatters) rules.refused["NPU"].push_back(stage);
  return rules;
}

std::vector<Plan> source_plans(const PlanRules& rules, const SourcePlanSettings& settings) {
  const auto teams = teams_of(rules, settings);
  std::vector<Plan> all;
  Plan plan;
  for (int blocks = 1; blocks <= settings.most_blocks; ++blocks) extend(plan, blocks, rules, teams, all);
  if (!settings.with_single) std::erase_if(all, [](const Plan& one) { return one.single_unit(); });
  return all;
}

const std::vector<std::string>& named_plans() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const NamedPlan& plan : named) list.emplace_back(plan.name);
    return list;
  }();
  return names;
}

std::optional<Plan> plan_named(std::string_view name) {
  for (const NamedPlan& plan : named)
    if (lower_case(plan.name) == lower_case(name)) return parse_plan(plan.text, plan.name);
  return std::nullopt;
}

}  // namespace takt
