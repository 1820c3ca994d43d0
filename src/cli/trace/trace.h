// What the commands of `takt trace` share.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/line/command_line.h"
#include "trace/read/tables.h"

namespace takt {

/// --threads, of what reads traces.
void add_reading_threads(CommandLine& line, TraceReadSettings& settings);

/// The files in the order given.
std::vector<NamedTrace> read_traces(const std::vector<std::filesystem::path>& files, const TraceReadSettings& settings);

/// One sentence on standard error about the faults of each file, if there are any.
void warn_of_faults(std::span<const NamedTrace> traces);

}  // namespace takt
