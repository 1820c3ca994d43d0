// What the system says about this process and its processors: who waited, what was stolen, how fast the clock ran.
//
// Read between measurements, never within one. Linux only; elsewhere, and where a kernel does not tell, values are
// missing. Files are opened once and read with pread, so a reading costs about 1 us and 0.5 us per thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/basics/units.h"

namespace takt {

/// Totals since an arbitrary start; only differences are meaningful (except `mhz`). nullopt: the system does not report
/// the value.
struct Usage {
  // Totals over all threads of this process:
  std::optional<Nanoseconds> run_delay;  ///< ready to run, but waiting for a processor (schedstat)
  std::optional<Nanoseconds> cpu_time;   ///< on a processor
  std::optional<std::int64_t> voluntary_switches, involuntary_switches;
  std::optional<std::int64_t> minor_faults, major_faults;
  // Totals over the CPUs that this process may use. The system counts in ticks of 10 ms, so these are read at most that
  // often; in between the last values are repeated.
  std::optional<Nanoseconds> machine_busy;  ///< used by any process, including this one
  std::optional<Nanoseconds> steal;         ///< wanted, but given to another virtual machine
  std::optional<Nanoseconds> throttled;     ///< this process's control group had used up its share
  std::optional<double> mhz;                ///< clock of the processor that ran the last reading
};

/// The number of CPUs that this process may use, and its limit.
struct CpuLimit {
  int cpus = 1;                 ///< by affinity
  std::optional<double> quota;  ///< processors that the control group grants; nullopt: no limit
  double processors() const { return quota && *quota < cpus ? *quota : cpus; }
};
/// Returns the limit of this process. `root` is the parent of /proc and /sys; for tests.
CpuLimit cpu_limit(const std::filesystem::path& root = "/");

/// Returns how long this process's control group has been throttled; nullopt if the system does not report it. `root`:
/// as above.
std::optional<Nanoseconds> group_throttled(const std::filesystem::path& root = "/");

/// Returns the CPU time of the calling thread since it started; nullopt if the system does not report it.
std::optional<Nanoseconds> thread_cpu_time();

/// Reads usage; keeps its files open. Not thread-safe. Never throws for what the system does not offer.
class UsageReader {
 public:
  UsageReader();
  ~UsageReader();
  UsageReader(const UsageReader&) = delete;
  UsageReader& operator=(const UsageReader&) = delete;
  Usage read();
  /// The same with fresh values of what is read rarely; some 20 us.
  Usage read_all();
  /// Whether all other threads of this process sleep: none runs or waits for a processor. True where not told.
  bool others_sleep();

 private:
  struct Files;
  std::unique_ptr<Files> files_;
};

/// `after` − `before`, member by member; `mhz` is that of `after`.
Usage operator-(const Usage& after, const Usage& before);

}  // namespace takt
