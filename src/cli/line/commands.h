// Every command of `takt`, and the program as a whole.
#pragma once

#include "cli/line/command_tree.h"

namespace takt {

#define TAKT_HEADING(text)
#define TAKT_COMMAND(name) extern const Command name##_command;
#include "cli/line/commands.inc"
#undef TAKT_COMMAND
#undef TAKT_HEADING

/// takt itself, with everything that it can do.
const CommandTree& takt_commands();

/// Returns the options that replace a command, besides --help.
std::span<const PlainOption> options_of_takt();

/// The whole program: finds the command and runs it. Also `--help`, `help COMMAND`, `--version`.
int run_command_line(Arguments arguments);

}  // namespace takt
