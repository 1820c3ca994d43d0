// What `takt --version` prints: enough to tell two programs of one version apart.
#pragma once

#include <string>

namespace takt {

/// The commit that was checked out when the program was linked, shortened; empty if it was not built from
/// git. The build writes it into a separate file, so that a new commit compiles only this line.
extern const char commit[];

/// Returns version, commit, build type and the runtimes in this binary, one per line.
std::string version_text();

}  // namespace takt
