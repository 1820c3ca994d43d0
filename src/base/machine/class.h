// What a machine is, apart from its name: measurements of one class of machine hold for another of the same class, and
// for no other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

struct MachineClass {
  std::string cpu;                              ///< model name; "unknown CPU" if the system does not report it
  int cores = 0;                                ///< logical cores that this process may use
  std::optional<std::int64_t> memory_gib;       ///< rounded, as kernels keep a varying part for themselves
  std::vector<std::string> instruction_sets{};  ///< those that change how fast kernels are: "avx2", "fma", …; sorted
  std::string governor{};                       ///< of the clock frequency; empty where there is none, as in most VMs

  bool operator==(const MachineClass&) const = default;
};

/// Contents of the files of Linux; each may be empty.
struct MachineTexts {
  std::string cpuinfo, meminfo;  ///< /proc/cpuinfo, /proc/meminfo
  std::string governor;          ///< /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor
  int cores = 0;
};

/// Parses the files. Pure; never throws.
MachineClass parse_machine_class(const MachineTexts& texts);

/// Returns the class of the machine that this process runs on. Fields that the system does not report stay empty or
/// nullopt. Never throws. Thread-safe.
MachineClass detect_machine_class();

/// "AMD EPYC, 2 cores, 24 GiB, avx2 avx512f fma"
std::string to_string(const MachineClass& machine);

/// Returns the differences in words: "cores '2' instead of '4'"; empty if there are none.
std::string difference(const MachineClass& measured, const MachineClass& now);

}  // namespace takt
