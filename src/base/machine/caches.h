// The data caches of a core, from what Linux says about the first one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

struct CacheLevel {
  int level = 0;
  std::int64_t bytes = 0;
  int shared_by = 1;  ///< logical cores that use one instance together
};

/// One index folder of /sys/devices/system/cpu/cpu0/cache, its files' texts.
struct CacheTexts {
  std::string level, type, size, shared_cpu_list;
};

/// Returns the data and unified caches, closest first; invalid entries are skipped. Pure; never throws.
std::vector<CacheLevel> parse_caches(const std::vector<CacheTexts>& texts);

/// Returns the number of CPUs in a list: "0-3,8" → 5. Returns 0 if `list` is not such a list.
int count_cpus(std::string_view list);

/// Returns the data and unified caches of the first core, closest first. Empty if the system does not report them.
/// Never throws.
std::vector<CacheLevel> detect_caches();

}  // namespace takt
