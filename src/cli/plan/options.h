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

/// Adds --divide-cost, --copies, --interference, --no-interference and --devices. The command itself adds the option
/// for `costs`.
void add_cost_settings(CommandLine& line, PlanCostOptions& options);

void add_no_interference(CommandLine& line, bool* no_interference);

/// Reads the costs. Throws UsageError for --divide-cost and --copies with a file of costs, and for --interference
/// together with --no-interference.
PlanCostSource cost_source(const PlanCostOptions& options, std::string_view command);

/// Returns a sentence that names the file of the slowdowns; empty if there are none or the user named the file.
std::string interference_line(const PlanCostOptions& options, const PlanCostSource& source);

struct PlanRuleOptions {
  std::string objective = "latency";
  int batches = 16;
  std::optional<int> blocks;
  double share_step = 0.001;
  bool shared = false, whole = false;
};

/// Adds --objective and --batches.
void add_objective(CommandLine& line, PlanRuleOptions& options);
/// Adds --shared.
void add_shared(CommandLine& line, PlanRuleOptions& options);
/// Adds the heading "Allowed plans" with --shared, --whole, --blocks and --share-step.
void add_plan_rules(CommandLine& line, PlanRuleOptions& options);

/// Returns the settings of a search. Throws UsageError if 1 is not a multiple of the share step.
PlanSearchSettings search_settings(const PlanRuleOptions& options, std::string_view command);

}  // namespace takt
