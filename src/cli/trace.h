// The parts of `takt trace`, one file each.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/command_group.h"
#include "cli/line/command_line.h"
#include "trace/read/tables.h"

namespace takt {

extern const CommandGroup trace_commands;

int run_trace_info(std::span<const std::string> arguments);
int run_trace_convert(std::span<const std::string> arguments);
int run_trace_check(std::span<const std::string> arguments);
int run_trace_cut(std::span<const std::string> arguments);
int run_trace_merge(std::span<const std::string> arguments);

CommandDescription describe_trace_info();
CommandDescription describe_trace_convert();
CommandDescription describe_trace_check();
CommandDescription describe_trace_cut();
CommandDescription describe_trace_merge();

/// --threads, of what reads traces.
void add_reading_threads(CommandLine& line, TraceReadSettings& settings);

/// The files in the order given.
std::vector<NamedTrace> read_traces(const std::vector<std::filesystem::path>& files, const TraceReadSettings& settings);

/// One sentence on standard error about the faults of each file, if there are any.
void warn_of_faults(std::span<const NamedTrace> traces);

}  // namespace takt
