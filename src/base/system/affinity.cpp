#include "base/system/affinity.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <thread>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

/// One cpu_set_t ends at 1,024 cores, and the call fails on larger machines.
using CoreSet = std::array<cpu_set_t, 8>;
constexpr std::size_t most_cores = sizeof(CoreSet) * 8;

/// The value of the first "key : value" line; empty: there is none.
std::string_view value_of_line(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const auto colon = line.find(':');
    if (colon != line.npos && trim(line.substr(0, colon)) == key) return trim(line.substr(colon + 1));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

}  // namespace

std::vector<int> usable_cores() {
  CoreSet set{};
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, set.data()) != 0) return cores;
  for (std::size_t core = 0; core < most_cores; ++core)
    if (CPU_ISSET_S(core, sizeof set, set.data())) cores.push_back(static_cast<int>(core));
  return cores;
}

int usable_core_count() { return std::max(1, static_cast<int>(usable_cores().size())); }

int machine_core_count() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

std::string processor_name(std::string_view cpuinfo) {
  for (const char* key : {"model name", "Model", "cpu model"})  // x86, Arm, MIPS
    if (const auto name = value_of_line(cpuinfo, key); !name.empty()) return printable(name);
  return "unknown CPU";
}

void pin_this_thread(const std::vector<int>& cores) {
  const auto usable = usable_cores();
  CoreSet set{};
  for (const int core : cores) {
    if (std::find(usable.begin(), usable.end(), core) == usable.end())
      throw Error(ErrorKind::unsupported, fmt::format("core {}: cannot be used by this process; the cores are {}", core,
                                                      fmt::join(usable, ", ")));
    CPU_SET_S(static_cast<std::size_t>(core), sizeof set, set.data());
  }
  if (sched_setaffinity(0, sizeof set, set.data()) != 0)
    throw Error(ErrorKind::unsupported,
                fmt::format("cores {}: cannot be pinned to: {}", fmt::join(cores, ", "), reason_of(errno)));
}

}  // namespace takt
