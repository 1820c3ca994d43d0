// What the system's files say of its load: pure functions from their texts, and what changes between two readings.
//
// Every total of a file is told since some start; load is the difference of two. A file that is missing, cannot be read
// or says something else leaves its features untold, with the reason.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/load/reading.h"

namespace takt {

/// Clock ticks of some processors since the machine was started, as in proc(5).
struct ProcessorTicks {
  double busy = 0, idle = 0, iowait = 0, steal = 0;
  double all() const { return busy + idle + iowait + steal; }
};

/// Parses /proc/stat: returns the sum over `processors` (empty: all). Throws Error(bad_input), as do all of these.
ProcessorTicks parse_processor_ticks(std::string_view text, std::span<const int> processors);

/// Parses /proc/pressure/*: returns for how long at least one thread has waited.
Nanoseconds parse_pressure(std::string_view text);

struct RunDelay {
  Nanoseconds waited{};  ///< of all threads together
  int processors = 0;
};
/// Parses /proc/schedstat: returns the sum over `processors` (empty: all).
RunDelay parse_run_delay(std::string_view text, std::span<const int> processors);

struct LoadAverage {
  double minute = 0, runnable = 0;
};
LoadAverage parse_load_average(std::string_view text);  ///< of /proc/loadavg
double parse_available_bytes(std::string_view text);    ///< of /proc/meminfo
/// Parses a thread's schedstat ("running waiting slices", ns): how long it ran on a CPU and waited for one.
std::pair<Nanoseconds, Nanoseconds> parse_thread_schedule(std::string_view text);

/// All of them at one time.
struct HostTotals {
  Nanoseconds time{};  ///< steady clock
  std::optional<ProcessorTicks> ticks;
  std::optional<Nanoseconds> cpu_pressure, memory_pressure, io_pressure, throttled;
  std::optional<RunDelay> run_delay;
  std::optional<LoadAverage> average;
  std::optional<double> clock_hertz, available_bytes;
  std::map<std::string, std::string> reasons;  ///< by feature: why there is nothing
};

/// `root`: where /proc and /sys are. `processors`: those that count. Never throws for what the system does not show.
HostTotals read_host_totals(const std::filesystem::path& root, std::span<const int> processors);

/// The load between two readings: a reading per feature of the host, without a value where it is not known.
std::vector<LoadReading> host_readings(const HostTotals& before, const HostTotals& after);

}  // namespace takt
