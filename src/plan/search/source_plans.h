// Plans that are known by name, and the candidates that the first planners of this kind chose from: at most two blocks,
// CPU, GPU and NPU alone or CPU and GPU together, each unit in one block.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/estimate/plan.h"
#include "plan/gnn/network.h"

namespace takt {

/// What a plan for the network must keep to on CPU, GPU and NPU: NPUs refuse stages that scatter.
PlanRules rules_for(Network network);

struct SourcePlanSettings {
  int most_blocks = 2;
  bool with_single = true;          ///< plans that are nothing but one unit
  std::vector<double> shares{0.5};  ///< of the CPU where it and the GPU divide a block: a plan for each
};

/// All candidates, those with fewer blocks first, in an order that never changes.
std::vector<Plan> source_plans(const PlanRules& rules, const SourcePlanSettings& settings = {});

/// "PEP1", "PEP2", "PEP3", "cpu_only", "gpu_only", "3block": plans for the seven stages of GraphSAGE.
const std::vector<std::string>& named_plans();
/// In any case of letters; nullopt: there is none of this name.
std::optional<Plan> plan_named(std::string_view name);

}  // namespace takt
