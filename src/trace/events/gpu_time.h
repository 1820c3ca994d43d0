// How the time of each accelerator in a PyTorch (Kineto) trace divides: computing, moving data, idle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/events/intervals.h"
#include "trace/events/trace.h"

namespace takt {

/// What a device event does, by its category and name.
enum class GpuWork : std::uint8_t { none, compute, communication, memory };

/// none: not an event of a device. Events of the categories kernel, gpu_memcpy and gpu_memset run on devices; kernels
/// of the vendors' communication libraries and of custom collectives communicate.
GpuWork gpu_work(const Trace& trace, const TraceEvent& event);
GpuWork gpu_work(std::string_view category, std::string_view name);

/// compute + non_compute + idle = total, exactly. Where work of two kinds runs at the same time, it counts as compute.
struct GpuTime {
  /// The `device` argument, else the process number. A device belongs to the process that its events lie in, so of a
  /// merged trace each rank's is one of its own, and the name says whose: "0 (rank 1: python)".
  std::string device;
  std::int64_t events = 0;
  Nanoseconds total{};        ///< from the first event's start to the last one's end
  Nanoseconds idle{};         ///< nothing runs
  Nanoseconds compute{};      ///< at least one computing kernel runs
  Nanoseconds non_compute{};  ///< only data is moved, between devices or in memory
};

/// By device; none in a trace without device events. Events whose time lies off those of their device (near_times.h)
/// are left out.
std::vector<GpuTime> gpu_times(const Trace& trace);

}  // namespace takt
