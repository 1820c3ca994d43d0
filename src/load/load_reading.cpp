#include "predict/load/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/basics/check.h"

namespace takt {
namespace {

// What nothing that takt knows of can pass, and what a broken sample nearly always does.
constexpr LoadRange shares{0, 1}, times_of_all{0, 1e4}, threads{0, 1e7}, ratios{0, 1e9};
constexpr LoadRange clocks{0, 5e10}, sizes{0, 1e16}, speeds{0, 1e17}, transfers{0, 1e14};
constexpr LoadRange powers{0, 2e4}, temperatures{-100, 250};

constexpr LoadFeature features[] = {
    {"cpu_busy_share", "share", shares, "Share of the processors' time in which they ran something."},
    {"cpu_iowait_share", "share", shares,
     "Share of the processors' time in which they were idle and something waited for a disk."},
    {"cpu_steal_share", "share", shares, "Share of the processors' time that the host gave to other virtual machines."},
    {"cpu_throttled_share", "share", times_of_all,
     "Time for which processors had to pause since the control group had used them up, per time: 1 is one processor "
     "that always pauses."},
    {"cpu_pressure_share", "share", shares, "Share of the time in which at least one thread waited for a processor."},
    {"memory_pressure_share", "share", shares, "Share of the time in which at least one thread waited for memory."},
    {"io_pressure_share", "share", shares, "Share of the time in which at least one thread waited for a disk."},
    {"run_delay_share", "share", times_of_all,
     "Time that threads waited for a processor, per processor and time: 1 is one thread always waiting for each."},
    {"runnable_threads", "threads", threads, "Threads that ran or could have, at the moment of the reading."},
    {"load_average", "threads", threads,
     "Threads that ran, could have, or waited for a disk: mean over about a minute."},
    {"cpu_clock_hertz", "Hz", clocks, "Mean clock of the processors."},
    {"memory_available_bytes", "B", sizes, "Memory that programs can still get without swapping."},
    {"probe_compute_flops", "FLOP/s", speeds,
     "What a probe of takt reached on one processor: multiply-adds in registers, per second in which it had it."},
    {"probe_memory_bytes_per_s", "B/s", transfers,
     "What a probe of takt read of an area beyond the caches, per second in which it had the processor."},
    {"probe_wait_ratio", "ratio", ratios, "Time that the probe waited for a processor, per time in which it had one."},
    {"probe_fair_wait_ratio", "ratio", ratios,
     "What the probe would have waited with its fair share of the processors, by how many threads wanted one."},
    {"probe_wait_trend", "ratio", ratios,
     "How many times as long a thread takes at the end of the probe's work as over all of it, by how many threads want "
     "a processor; 1: the load has not changed."},
    {"probe_wall_ratio", "ratio", ratios,
     "How long the probe took, per time in which it had a processor; 1: undisturbed."},
    {"gpu_busy_share", "share", shares, "Share of the time in which at least one kernel ran on the GPU."},
    {"gpu_memory_busy_share", "share", shares, "Share of the time in which the GPU's memory was read or written."},
    {"gpu_engine_active_share", "share", shares,
     "Share of the time in which the GPU's compute or graphics engine worked."},
    {"gpu_sm_active_share", "share", shares, "Share of the time in which a multiprocessor had a warp, mean over them."},
    {"gpu_sm_occupancy_share", "share", shares, "Warps on the multiprocessors, as a share of those that fit."},
    {"gpu_tensor_active_share", "share", shares, "Share of the time in which the tensor units worked."},
    {"gpu_fp64_active_share", "share", shares, "Share of the time in which the float64 units worked."},
    {"gpu_fp32_active_share", "share", shares, "Share of the time in which the float32 units worked."},
    {"gpu_fp16_active_share", "share", shares, "Share of the time in which the float16 units worked."},
    {"gpu_dram_active_share", "share", shares, "Share of the GPU memory's bandwidth that was used."},
    {"gpu_pcie_sent_bytes_per_s", "B/s", transfers, "What the GPU sent over PCIe."},
    {"gpu_pcie_received_bytes_per_s", "B/s", transfers, "What the GPU received over PCIe."},
    {"gpu_sm_clock_hertz", "Hz", clocks, "Clock of the GPU's multiprocessors."},
    {"gpu_memory_clock_hertz", "Hz", clocks, "Clock of the GPU's memory."},
    {"gpu_power_watts", "W", powers, "Power that the GPU took."},
    {"gpu_temperature_celsius", "C", temperatures, "Temperature of the GPU."},
    {"gpu_memory_used_bytes", "B", sizes, "Memory of the GPU in use."},
    {"gpu_memory_free_bytes", "B", sizes, "Memory of the GPU that is free."},
    {"gpu_probe_flops", "FLOP/s", speeds,
     "What a probe of takt reached on the GPU: a product of float32 matrices, by the GPU's clock."},
    {"gpu_probe_copy_bytes_per_s", "B/s", transfers,
     "What a probe of takt copied from the host to the GPU and back, both together, by the GPU's clock."},
    {"gpu_probe_wall_ratio", "ratio", ratios,
     "How long the host waited for the probe's product, per time that the GPU took for it; 1: undisturbed."},
    {"gpu_throttled", "0 or 1", shares, "1: power or heat keeps the GPU's clock down."},
};

}  // namespace

std::span<const LoadFeature> load_features() { return features; }

const LoadFeature* find_load_feature(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(features), std::end(features), [&](const LoadFeature& one) { return one.name == name; });
  return found == std::end(features) ? nullptr : found;
}

std::optional<double> live_value(const LoadSnapshot& snapshot, std::string_view name, std::string_view device) {
  for (const LoadReading& reading : snapshot.readings)
    if (reading.name == name && (device.empty() || reading.device == device) && reading.is_live()) return reading.value;
  return std::nullopt;
}

bool is_possible(double value, const LoadRange& range) {
  constexpr double about = 1.05;
  return std::isfinite(value) && value >= range.least && value <= about * range.most;
}

std::string impossible(double value, const LoadRange& range) {
  if (!std::isfinite(value)) return fmt::format("reported {}", value);
  const bool is_more = value > range.most;
  return fmt::format("reported {:.10g}, which is {} than {:.10g}", value, is_more ? "more" : "less",
                     is_more ? range.most : range.least);
}

LoadReading checked(LoadReading reading) {
  const LoadFeature* const known = find_load_feature(reading.name);
  if (!known || !reading.value) return reading;
  if (is_possible(*reading.value, known->range)) {
    reading.value = std::min(*reading.value, known->range.most);
    return reading;
  }
  reading.trouble = impossible(*reading.value, known->range);
  reading.value.reset(), reading.age.reset(), reading.window.reset();
  return reading;
}

LoadReading reading_of(std::string_view feature, std::string_view device, std::string_view source) {
  const LoadFeature* const known = find_load_feature(feature);
  TAKT_CHECK(known != nullptr);
  return {std::string(feature), std::string(device), std::string(source), std::string(known->unit)};
}

}  // namespace takt
