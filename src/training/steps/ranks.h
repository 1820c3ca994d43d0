// Traces of several ranks in one file, as 'takt trace merge' makes them, taken apart again.
#pragma once

#include <filesystem>
#include <vector>

#include "trace/read/tables.h"

namespace takt {

/// The traces of each rank where the names of a trace's processes tell of several, each under the file's name; of any
/// other trace nothing, and of one with work on a device that belongs to none of them.
std::vector<NamedTrace> split_by_rank(const NamedTrace& merged);

/// The paths, folders replaced by the traces in them (.json, .json.gz, .pftrace, .pftrace.gz) by name. Throws
/// Error(bad_input) naming a folder that has none.
std::vector<std::filesystem::path> with_files_of_folders(const std::vector<std::filesystem::path>& paths);

}  // namespace takt
