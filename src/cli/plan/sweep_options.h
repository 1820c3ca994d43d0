// What `takt sweep` was asked for, and what its words stand for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/line/command_line.h"
#include "cli/line/output.h"
#include "plan/sweep/sweep.h"

namespace takt {

struct SweepOptions {
  bool do_export = false, do_measure = false, do_analyze = false, do_interference = false, do_all = false;
  std::filesystem::path from;
  std::filesystem::path out = "profiling";
  std::string cases = case_sets().front();
  std::string models = std::string(network_name(Network::sage));
  std::string devices, fallback, shard;
  bool ranges = false, retry = false;
  SweepGraph graph;
  std::optional<std::int64_t> warmup, iterations;
  std::optional<int> rounds;
  std::string timeout = "900s";
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(SweepOptions& options);

/// Each of these throws UsageError for unknown words.
std::vector<Network> networks_in(std::string_view list);           ///< each once, in the order of the list
std::vector<SweepDevice> devices_in(const SweepOptions& options);  ///< those of --devices, else the available ones
SweepCases cases_of(const SweepOptions& options);
Nanoseconds row_limit_of(const SweepOptions& options);  ///< that of --timeout; a bare number is in seconds
/// Returns the value of --rounds; else 3 (at most the iterations) if a device is real, and 1 if all are simulated.
int rounds_of(const SweepOptions& options, const SweepCases& cases, const std::vector<SweepDevice>& devices);

/// Returns the runtimes in the order in which they are tried on a real device.
std::vector<std::string> runtimes_for(const SweepOptions& options);

}  // namespace takt
