// What this machine can do at most, measured: arithmetic, bandwidth of each level of memory, waking a thread.
//
// Probes take turns in rounds, so that a disturbance hits all of them and none alone; each turn is cut into slices of
// about a millisecond. The peak is the best slice of all: interference only ever slows down (the same reason why STREAM
// and lmbench report the best of their repetitions).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/units.h"

namespace takt {

struct PeakRate {
  double best = 0;    ///< per second
  double median = 0;  ///< of the rounds' best; far below `best` means a busy machine
};

/// With one thread, and with one on each logical core.
struct PeakPair {
  PeakRate one, all;
};

struct LevelPeaks {
  std::string name;                                  ///< "L1", "L2", "L3", "DRAM"
  std::optional<std::int64_t> bytes_one, bytes_all;  ///< that one thread, and all together, can keep there; DRAM: none
  PeakPair read;                                     ///< bytes per second
  PeakPair copy;                                     ///< bytes read and written per second
};

/// Peaks of the CPU. Other devices have none here.
struct Peaks {
  std::string kernels;             ///< instructions that were used: "AVX-512"
  int threads = 1;                 ///< of the figures "all"
  PeakPair f32;                    ///< FLOP per second, a fused multiply-add counting two
  std::optional<PeakPair> bf16;    ///< bfloat16 products; missing where the CPU has none
  std::vector<LevelPeaks> levels;  ///< nearest first, DRAM last
  Duration wake_up{};              ///< from notifying a sleeping thread until it runs; the median round
};

struct PeakSettings {
  int threads = 0;                                    ///< 0: one per logical core
  int rounds = 8;                                     ///< more find a quiet moment more surely
  Duration turn = std::chrono::milliseconds(45);      ///< of one probe in one round; 10 s in all with the defaults
  std::int64_t memory_bytes = std::int64_t{1} << 28;  ///< at most, for the probe of main memory
};

/// Called between measurements.
using PeakProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Throws Error(runtime) when there is not enough memory or a thread cannot be started. Uses every core while it runs;
/// not for two threads at once.
Peaks measure_peaks(const PeakSettings& settings = {}, const PeakProgress& progress = {});

}  // namespace takt
