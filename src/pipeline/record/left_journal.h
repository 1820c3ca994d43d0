// The journal of a run that was killed, found where the next run wants to write its own.
#pragma once

#include <filesystem>
#include <string>

namespace takt {

/// Gives a journal that lies at `path` the first free name of PATH.1, PATH.2 and so on; one without a batch is removed.
/// Returns a sentence that says what it holds, where it is and what to do with it; empty: none lay there. Whoever calls
/// holds its lock. Throws Error(io) where it cannot be renamed.
std::string set_aside_left_journal(const std::filesystem::path& path);

}  // namespace takt
