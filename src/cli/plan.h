// The commands of `takt plan`, one file each.
#pragma once

#include <span>
#include <string>

#include "cli/command_group.h"

namespace takt {

extern const CommandGroup plan_commands;

int run_plan_compile(std::span<const std::string> arguments);
int run_plan_cut(std::span<const std::string> arguments);
int run_plan_run(std::span<const std::string> arguments);
int run_plan_search(std::span<const std::string> arguments);
int run_plan_simulate(std::span<const std::string> arguments);

CommandDescription describe_plan_compile();
CommandDescription describe_plan_cut();
CommandDescription describe_plan_run();
CommandDescription describe_plan_search();
CommandDescription describe_plan_simulate();

}  // namespace takt
