// The loops that reach a core's peaks, in the widest instructions it has, chosen when the program runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace takt {

/// A loop of independent multiply-adds in registers.
struct ComputeKernel {
  double flops_per_round;
  float (*run)(std::int64_t rounds);  ///< the result must be used, or a compiler drops the loop
};

struct PeakKernels {
  std::string_view name;  ///< "AVX-512", "AVX2", "portable"
  ComputeKernel f32;
  std::optional<ComputeKernel> bf16;  ///< two bfloat16 products added to a float32; missing where the CPU has none
  /// Reads `bytes` (a multiple of 1024) from 64-byte aligned memory.
  std::uint64_t (*read)(const std::byte* data, std::size_t bytes);
};

/// For this CPU. Thread-safe.
const PeakKernels& peak_kernels();

/// What every CPU can run, for tests.
const PeakKernels& portable_kernels();

}  // namespace takt
