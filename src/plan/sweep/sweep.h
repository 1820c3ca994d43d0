// A sweep: every stage on every device at every size, measured one after the other, each device attempt in a process of
// its own, each row on disk before the next begins.
//
//   measure_stages()  decides which rows are missing, starts children, keeps the journal     sweep.cpp
//   StageProcess      one child: asks it, waits for its rows, says what became of it         stage_process.h
//   StageBench        what the child does                                                    stage_bench.h
//   whole_rows()      puts the rounds of a row together                                      rounds.h
//   SweepJournal      the rows on disk, and under which configuration they hold              src/plan/sweep/journal.h
//   Forecast          how long the rest will take                                            work.h
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/sweep/cases.h"
#include "plan/sweep/journal.h"

namespace takt {

/// A device and the kind of device whose place it takes in tables and plans.
struct SweepDevice {
  std::string unit;    ///< "CPU", "GPU", "NPU"
  std::string device;  ///< "CPU", "GPU.1", "sim:NPU", "sim:edge"
};

/// From "CPU", "GPU.1", "sim:NPU", or "NPU=sim:edge" where the name does not tell the unit. Throws UsageError.
SweepDevice parse_sweep_device(std::string_view text);

struct SweepSettings {
  std::filesystem::path folder;
  std::vector<Network> networks{Network::sage};
  SweepCases cases;  ///< sizes, and what is measured of each
  int rounds = 1;    ///< at most as many as iterations: passes over all rows, each with its part of them (rounds.h)
  std::vector<SweepDevice> devices;
  bool ranges = false;  ///< fused ranges of stages, too
  SweepGraph graph;
  std::vector<std::string> runtimes{"openvino"};     ///< in the order they are tried on a real device
  bool retry = false;                                ///< rows that failed before are measured again
  Nanoseconds row_limit = std::chrono::minutes(15);  ///< a child that tells no row for so long hangs
  Shard shard;
  std::string machine;  ///< class of machine; rows of another are not mixed in
  /// The program that measures: takt's own, and what makes it do so.
  std::vector<std::string> child;
  std::function<void(Duration spent, Duration left)> progress = {};  ///< may be empty
  const std::atomic<bool>* stop = nullptr;                           ///< looked at all the time
};

/// Measures the rows that the folder lacks; rows that failed before are not lacking without `retry`. The models must be
/// there (export.h). Throws Error(io, bad_input) as SweepJournal, and Error(runtime) when stopped.
void measure_stages(const SweepSettings& settings);

}  // namespace takt
