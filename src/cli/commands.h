// The commands of `takt`, one file each. A command parses its arguments, calls the library and prints.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace takt {

/// Arguments after the command's name. Returns the exit code; throws Error (exit 1) and UsageError (exit 2).
using CommandFunction = int (*)(std::span<const std::string> arguments);

struct Command {
  std::string_view name, summary;
  CommandFunction run;
};

std::span<const Command> commands();

int run_analyze(std::span<const std::string> arguments);
int run_compare(std::span<const std::string> arguments);
int run_devices(std::span<const std::string> arguments);
int run_explain(std::span<const std::string> arguments);
int run_pipeline_command(std::span<const std::string> arguments);
int run_run(std::span<const std::string> arguments);
int run_trace(std::span<const std::string> arguments);

/// The whole program: finds the command and runs it. Also `--help`, `--version`.
int run_command_line(std::span<const std::string> arguments);

}  // namespace takt
