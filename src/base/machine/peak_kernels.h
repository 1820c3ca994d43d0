// The loops that reach a core's peaks, one per type of numbers and instruction set, chosen when the program runs.
//
// Which set is fastest cannot be told from its name: with one unit for 512-bit multiply-adds AVX2 at its higher clock
// is as fast as AVX-512. So all that could be are here, and measuring decides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/machine/peaks.h"

namespace takt {

/// A loop of independent multiply-adds in registers.
struct ComputeKernel {
  NumberType type;
  std::string_view instructions;  ///< "AVX-512", "AMX", "portable"
  double flops_per_round;         ///< a product and its sum counting two
  /// What one of the sums is after `rounds`; it must be used, or a compiler drops the loop. float32 and float16 go from
  /// 1/2 towards 1, other types from 0 upwards by the same amount each round.
  float (*run)(std::int64_t rounds);
};

/// Reads memory as fast as a core can.
struct ReadKernel {
  std::string_view instructions;
  /// Reads `bytes` (a multiple of 1024) from 64-byte aligned memory, `repeats` times over. Repeating happens in here,
  /// because a call takes as long as a good part of an L1 cache's content.
  void (*read)(const std::byte* data, std::size_t bytes, std::size_t repeats);
};

/// For this CPU and what the system allows; float32 is always among them. Thread-safe.
std::span<const ComputeKernel> compute_kernels();
const ComputeKernel& float32_kernel();
const ReadKernel& read_kernel();

/// What every CPU can run, for tests.
const ComputeKernel& portable_compute();
const ReadKernel& portable_read();

namespace x86 {

/// What this CPU and system have; empty on other architectures.
void add_vector_kernels(std::vector<ComputeKernel>& kernels);
/// Asks the system for the tile registers, which programs may only use with its permission.
void add_tile_kernels(std::vector<ComputeKernel>& kernels);
/// nullptr: none better than the portable one.
const ReadKernel* read_kernel();

}  // namespace x86

}  // namespace takt
