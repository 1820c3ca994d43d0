// Processors: which of them the calling thread may use, how many there are, and what they are called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace takt {

/// Returns the cores that this thread may run on, ascending; empty if the system does not report them or has more than
/// 8,192.
std::vector<int> usable_cores();

/// Returns the number of these cores, at least 1: how many threads can run concurrently.
int usable_core_count();

/// Returns the number of cores of the whole machine, including those that this process may not use; at least 1.
int machine_core_count();

/// Returns the name of the CPU in the contents of /proc/cpuinfo, printable; "unknown CPU" if there is none.
std::string processor_name(std::string_view cpuinfo);

/// Pins the calling thread, and threads that it creates from now on, to these cores. Throws Error(unsupported), which
/// lists the cores that can be used.
void pin_this_thread(const std::vector<int>& cores);

}  // namespace takt
