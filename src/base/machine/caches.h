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

/// Data and unified caches, nearest first; entries that make no sense are left out. Pure; never throws.
std::vector<CacheLevel> parse_caches(const std::vector<CacheTexts>& texts);

/// "0-3,8" → 5; 0 if it is no such list.
int count_cpus(std::string_view list);

/// Of this machine; empty where the system does not tell. Never throws.
std::vector<CacheLevel> detect_caches();

}  // namespace takt
