#include "core/affinity.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>

#include "core/error.h"
#include "core/file.h"

namespace takt {

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  return cores;
}

void pin_this_thread(const std::vector<int>& cores) {
  const auto usable = usable_cores();
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) {
    if (std::find(usable.begin(), usable.end(), core) == usable.end())
      throw Error(ErrorKind::unsupported, fmt::format("core {}: cannot be used by this process; the cores are {}", core,
                                                      fmt::join(usable, ", ")));
    CPU_SET(static_cast<std::size_t>(core), &set);
  }
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    throw Error(ErrorKind::unsupported,
                fmt::format("cores {}: cannot be pinned to: {}", fmt::join(cores, ", "), reason_of(errno)));
}

}  // namespace takt
