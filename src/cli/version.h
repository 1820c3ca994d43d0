// What `takt --version` prints: enough to tell two programs of one version apart.
#pragma once

#include <string>

namespace takt {

/// The commit that was checked out when the program was linked, shortened; empty where it was not built from git. In a
/// file of its own that the build writes, so that a new commit compiles this one line and nothing else.
extern const char commit[];

/// Version, commit, kind of build and the runtimes in this binary, one a line.
std::string version_text();

}  // namespace takt
