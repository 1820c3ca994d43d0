// The commands of `takt`, one file each. A command declares its options, parses its arguments, calls the library and
// prints; `describe_*` tells the options to help, completions and man pages without running anything.
#pragma once

#include <span>
#include <string>

#include "cli/command_group.h"

namespace takt {

int run_analyze(std::span<const std::string> arguments);
int run_collect(std::span<const std::string> arguments);
int run_compare(std::span<const std::string> arguments);
int run_completion(std::span<const std::string> arguments);
int run_diagnose(std::span<const std::string> arguments);
int run_devices(std::span<const std::string> arguments);
int run_evaluate(std::span<const std::string> arguments);
int run_explain(std::span<const std::string> arguments);
int run_exporter_command(std::span<const std::string> arguments);
int run_load_command(std::span<const std::string> arguments);
int run_fit(std::span<const std::string> arguments);
int run_lookup(std::span<const std::string> arguments);
int run_manual(std::span<const std::string> arguments);
int run_predict(std::span<const std::string> arguments);
int run_scenario(std::span<const std::string> arguments);
int run_run(std::span<const std::string> arguments);
int run_stress_command(std::span<const std::string> arguments);
int run_sweep(std::span<const std::string> arguments);

CommandDescription describe_analyze();
CommandDescription describe_collect();
CommandDescription describe_compare();
CommandDescription describe_devices();
CommandDescription describe_diagnose();
CommandDescription describe_explain();
CommandDescription describe_exporter();
CommandDescription describe_load();
CommandDescription describe_evaluate();
CommandDescription describe_explain();
CommandDescription describe_fit();
CommandDescription describe_lookup();
CommandDescription describe_predict();
CommandDescription describe_run();
CommandDescription describe_scenario();
CommandDescription describe_stress();
CommandDescription describe_sweep();

/// takt itself, with everything that it can do.
const CommandGroup& takt_commands();

/// The whole program: finds the command and runs it. Also `--help`, `--version`.
int run_command_line(std::span<const std::string> arguments);

}  // namespace takt
