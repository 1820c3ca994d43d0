// Which logical cores the calling thread may use.
#pragma once

#include <vector>

namespace takt {

/// Cores that this thread may run on, ascending.
std::vector<int> usable_cores();

/// Lets the calling thread, and threads that it makes from now on, run on these cores only. Throws Error(unsupported)
/// naming those that can be used.
void pin_this_thread(const std::vector<int>& cores);

}  // namespace takt
