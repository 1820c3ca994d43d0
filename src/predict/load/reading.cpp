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
    {"cpu_busy_share", "share", shares, "Share of CPU time that was busy: not idle, waiting for a disk or stolen."},
    {"cpu_iowait_share", "share", shares, "Share of CPU time that was idle while a thread waited for a disk."},
    {"cpu_steal_share", "share", shares,
     "Share of CPU time that the hypervisor gave to other virtual machines (steal time)."},
    {"cpu_throttled_share", "share", times_of_all,
     "Time per second for which the control group's CPU quota throttled its threads: 1 is one CPU that is always "
     "throttled."},
    {"cpu_pressure_share", "share", shares, "Share of the time in which at least one thread waited for a CPU (PSI)."},
    {"memory_pressure_share", "share", shares,
     "Share of the time in which at least one thread waited for memory (PSI)."},
    {"io_pressure_share", "share", shares, "Share of the time in which at least one thread waited for a disk (PSI)."},
    {"run_delay_share", "share", times_of_all,
     "Time that runnable threads waited for a CPU, per CPU and second: 1 is one waiting thread per CPU at all times."},
    {"runnable_threads", "threads", threads, "Runnable threads at the moment of the reading, running ones included."},
    {"load_average", "threads", threads, "Threads that were runnable or waited for a disk: mean over about a minute."},
    {"cpu_clock_hertz", "Hz", clocks, "Mean clock of the CPUs."},
    {"memory_available_bytes", "B", sizes, "Memory that programs can still allocate without swapping."},
    {"probe_compute_flops", "FLOP/s", speeds,
     "Rate that takt's probe reached on one CPU: multiply-adds in registers, per second of CPU time."},
    {"probe_memory_bytes_per_s", "B/s", transfers,
     "Rate at which takt's probe read an area larger than the caches, per second of CPU time."},
    {"probe_wait_ratio", "ratio", ratios, "Time that the probe waited for a CPU, per CPU time."},
    {"probe_fair_wait_ratio", "ratio", ratios,
     "Expected wait of the probe with a fair share of the CPUs, from the number of runnable threads."},
    {"probe_wait_trend", "ratio", ratios,
     "Trend of the load, from the number of runnable threads: expected time of a thread at the end of the probe over "
     "that of the whole probe; 1: the load has not changed."},
    {"probe_wall_ratio", "ratio", ratios, "Wall-clock time of the probe, per CPU time; 1: undisturbed."},
    {"gpu_busy_share", "share", shares, "Share of the time in which at least one kernel ran on the GPU."},
    {"gpu_memory_busy_share", "share", shares, "Share of the time in which the GPU's memory was read or written."},
    {"gpu_engine_active_share", "share", shares,
     "Share of the time in which the GPU's compute or graphics engine was active."},
    {"gpu_sm_active_share", "share", shares,
     "Share of the time in which a multiprocessor had a warp, averaged over all multiprocessors."},
    {"gpu_sm_occupancy_share", "share", shares,
     "Resident warps on the multiprocessors, as a share of the maximum (occupancy)."},
    {"gpu_tensor_active_share", "share", shares, "Share of the time in which the tensor units were active."},
    {"gpu_fp64_active_share", "share", shares, "Share of the time in which the float64 units were active."},
    {"gpu_fp32_active_share", "share", shares, "Share of the time in which the float32 units were active."},
    {"gpu_fp16_active_share", "share", shares, "Share of the time in which the float16 units were active."},
    {"gpu_dram_active_share", "share", shares, "Share of the GPU memory's bandwidth that was used."},
    {"gpu_pcie_sent_bytes_per_s", "B/s", transfers, "Rate at which the GPU sent data over PCIe."},
    {"gpu_pcie_received_bytes_per_s", "B/s", transfers, "Rate at which the GPU received data over PCIe."},
    {"gpu_sm_clock_hertz", "Hz", clocks, "Clock of the GPU's multiprocessors."},
    {"gpu_memory_clock_hertz", "Hz", clocks, "Clock of the GPU's memory."},
    {"gpu_power_watts", "W", powers, "Power draw of the GPU."},
    {"gpu_temperature_celsius", "C", temperatures, "Temperature of the GPU."},
    {"gpu_memory_used_bytes", "B", sizes, "GPU memory in use."},
    {"gpu_memory_free_bytes", "B", sizes, "Free GPU memory."},
    {"gpu_probe_flops", "FLOP/s", speeds,
     "Rate that takt's probe reached on the GPU: a product of float32 matrices, timed by the GPU's clock."},
    {"gpu_probe_copy_bytes_per_s", "B/s", transfers,
     "Rate at which takt's probe copied from the host to the GPU and back, both together, timed by the GPU's clock."},
    {"gpu_probe_wall_ratio", "ratio", ratios,
     "Time that the host waited for the probe's product, per time of the product on the GPU; 1: undisturbed."},
    {"gpu_throttled", "0 or 1", shares, "1: a power or thermal limit reduces the GPU's clock."},
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
