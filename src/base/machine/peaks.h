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
#include <string_view>
#include <vector>

#include "base/basics/units.h"

namespace takt {

/// What is multiplied. A peak holds for one type: the same unit multiplies four int8 in the place of one float32.
enum class NumberType { f32, f16, bf16, int8 };
std::string_view name_of(NumberType type);  ///< "float32", "float16", "bfloat16", "int8"

struct PeakRate {
  double best = 0;    ///< per second
  double median = 0;  ///< of the rounds' best; far below `best` means a busy machine
};

/// With one thread, and with one on each logical core.
struct PeakPair {
  PeakRate one, all;
};

/// Multiply-adds of a type by one instruction set.
struct ComputePeaks {
  NumberType type;
  std::string instructions;  ///< "AVX-512 VNNI"
  PeakPair rate;             ///< operations per second, a multiply-add counting two
};

struct LevelPeaks {
  std::string name;                                  ///< "L1", "L2", "L3", "DRAM"
  std::optional<std::int64_t> bytes_one, bytes_all;  ///< that one thread, and all together, can keep there; DRAM: none
  PeakPair read;                                     ///< bytes per second
  PeakPair copy;                                     ///< bytes read and written per second
};

/// Peaks of the CPU. Other devices have none here.
struct Peaks {
  std::string reads_with;             ///< instructions that read memory: "AVX-512"
  int threads = 1;                    ///< of the figures "all"
  std::vector<ComputePeaks> compute;  ///< for each type every instruction set that could be the fastest
  std::vector<LevelPeaks> levels;     ///< nearest first, DRAM last
  Duration wake_up{};                 ///< from notifying a sleeping thread until it runs; the median round
  /// Processors that others kept busy meanwhile, as a share of those of this process; nullopt: the system does not
  /// tell.
  std::optional<double> others_busy;
};

/// The best that any instruction set reached for the type; nullptr: the CPU has none for it.
const ComputePeaks* best_compute(const Peaks& peaks, NumberType type, bool one_thread);

/// The best of the pair's two.
double best_of(const PeakPair& pair, bool one_thread);

/// Reading or copying, whichever is faster, in this level or one after it: a level is at least as fast as those after
/// it, and where a measurement says otherwise it was disturbed.
double bandwidth_of(const Peaks& peaks, std::size_t level, bool one_thread);

struct PeakSettings {
  int threads = 0;                                    ///< 0: one per logical core
  int rounds = 8;                                     ///< more find a quiet moment more surely
  Duration turn = std::chrono::milliseconds(45);      ///< of one probe in one round; about 10 s in all
  std::int64_t memory_bytes = std::int64_t{1} << 30;  ///< at most, for the probe of main memory
};

/// Called between measurements.
using PeakProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// Throws Error(runtime) when there is not enough memory or a thread cannot be started. Uses every core while it runs;
/// not for two threads at once.
Peaks measure_peaks(const PeakSettings& settings = {}, const PeakProgress& progress = {});

}  // namespace takt
