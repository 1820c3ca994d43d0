// What an inference takes on a device that the host only asks to work: a GPU.
//
// The device works on one kernel while the host asks for the next ones, so an inference is no sum. It is the slower of
// two who follow each other: a kernel begins when it was asked for and the one before it is done. Small kernels are
// done before the next is asked for, and then the host's time is all that counts, whatever the GPU could do: a network
// of batch 1 takes an H100 three times as long as its kernels.
//
// What asking costs is not recorded (records would double it), but all models together tell it: by what is asked for,
// and the more the longer the work is, since a library parts long work into several pieces. On an H100 with ONNX
// Runtime 1.31 that was 10 to 20 us for each kernel and 0.8 of what it took, so that host and device hardly ever
// overlapped before the batch was large.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "predict/fit/kernel_facts.h"

namespace takt {

/// What the host asks for: work of a KernelGroup, in their order, or first of all nothing: a tensor stays where it
/// lies, under another shape.
enum class HostWork : std::uint8_t { renaming, conv, depthwise, product, pool, other };
inline constexpr std::size_t host_work_count = kernel_group_count + 1;
static_assert(static_cast<std::size_t>(HostWork::conv) == static_cast<std::size_t>(KernelGroup::conv) + 1 &&
              static_cast<std::size_t>(HostWork::other) == static_cast<std::size_t>(KernelGroup::other) + 1);
std::string_view name_of(HostWork work);  ///< "renaming", "conv", …
HostWork host_work_of(const KernelFacts& facts);

/// A kernel on its place in an inference.
struct KernelTime {
  double us = 0;  ///< as recorded: on a GPU what that worked
  HostWork work = HostWork::other;
};

/// A model that was measured.
struct WholeSample {
  std::vector<KernelTime> kernels;  ///< in the order of execution
  double io_bytes = 0;              ///< of the model's inputs and outputs
  double us = 0;                    ///< the whole inference, unobserved
};

struct Launching {
  double fixed_us = 0, us_per_byte = 0;             ///< before the first kernel: the call, and bringing inputs
  std::array<double, host_work_count> launch_us{};  ///< for asking, by HostWork
  double share_of_work = 0;                         ///< and this share of the kernel's time

  bool operator==(const Launching&) const = default;
  double host_us(const KernelTime& kernel) const;
  /// Microseconds of an inference.
  double whole(std::span<const KernelTime> kernels, double io_bytes) const;
};

/// The numbers that make Σ |log(predicted / measured)| least, found one by one in turns from a common beginning; kinds
/// of work that few models have cost about what the others do. Without samples nothing costs anything.
Launching fit_launching(std::span<const WholeSample> samples);

}  // namespace takt
