// The commands of `takt zoo`.
#pragma once

#include <span>
#include <string>

#include "cli/command_group.h"

namespace takt {

int run_zoo_export(std::span<const std::string> arguments);
int run_zoo_list(std::span<const std::string> arguments);

CommandDescription describe_zoo_export();
CommandDescription describe_zoo_list();

extern const CommandGroup zoo_commands;

}  // namespace takt
