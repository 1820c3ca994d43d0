// The commands of `takt pipeline`, one file each.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command_group.h"

namespace takt {

extern const CommandGroup pipeline_commands;

int run_pipeline_analyze(std::span<const std::string> arguments);
int run_pipeline_interference(std::span<const std::string> arguments);
int run_pipeline_run(std::span<const std::string> arguments);
int run_pipeline_whatif(std::span<const std::string> arguments);

/// The program and words that start the load beside which real stages are measured (machine/resource_load.h).
std::vector<std::string> load_command();

CommandDescription describe_pipeline_analyze();
CommandDescription describe_pipeline_interference();
CommandDescription describe_pipeline_run();
CommandDescription describe_pipeline_whatif();

}  // namespace takt
