// Options that commands of `takt plan` share: what stages cost, and what plans may be.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "cli/line/command_line.h"
#include "plan/estimate/cost_source.h"
#include "plan/search/search.h"

namespace takt {

struct PlanCostOptions {
  std::filesystem::path costs, interference;
  std::string divide_cost, devices;
  bool copies = false, no_interference = false;
};

/// --divide-cost, --copies, --interference, --no-interference, --devices. How `costs` is given is the command's own.
void add_cost_settings(CommandLine& line, PlanCostOptions& options);

void add_no_interference(CommandLine& line, bool* no_interference);

/// Reads them. Throws UsageError for --divide-cost and --copies with a file of costs, and for a file of interference
/// together with none.
PlanCostSource cost_source(const PlanCostOptions& options, std::string_view command);

/// Where slow-downs come from, if nobody named it; empty: nowhere, or somebody did.
std::string interference_line(const PlanCostOptions& options, const PlanCostSource& source);

struct PlanRuleOptions {
  std::string objective = "latency";
  int batches = 16;
  std::optional<int> blocks;
  double share_step = 0.001;
  bool shared = false, whole = false;
};

/// --objective, --batches.
void add_objective(CommandLine& line, PlanRuleOptions& options);
/// --shared.
void add_shared(CommandLine& line, PlanRuleOptions& options);
/// The heading "What plans may be" with --shared, --whole, --blocks, --share-step.
void add_plan_rules(CommandLine& line, PlanRuleOptions& options);

/// Throws UsageError for shares that do not add up to 1.
PlanSearchSettings search_settings(const PlanRuleOptions& options, std::string_view command);

}  // namespace takt
