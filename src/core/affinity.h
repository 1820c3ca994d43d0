// Processors: which of them the calling thread may use, how many there are, and what they are called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// Cores that this thread may run on, ascending; empty where the system does not tell, or has more than 8,192.
std::vector<int> usable_cores();

/// How many these are, at least 1: as many threads as can run at once.
int usable_core_count();

/// Cores of the whole machine, whatever this process may use of them; at least 1.
int machine_core_count();

/// The processor's name in the text of /proc/cpuinfo, fit to be shown; "unknown CPU" where it says none.
std::string processor_name(std::string_view cpuinfo);

/// Lets the calling thread, and threads that it makes from now on, run on these cores only. Throws Error(unsupported)
/// naming those that can be used.
void pin_this_thread(const std::vector<int>& cores);

}  // namespace takt
