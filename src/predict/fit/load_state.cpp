#include "predict/fit/load_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/basics/units.h"
#include "base/statistics/random.h"
#include "base/system/affinity.h"

namespace takt {
namespace {

constexpr std::string_view seen_names[] = {"probe_wait_ratio",         "probe_fair_wait_ratio", "probe_compute_flops",
                                           "probe_memory_bytes_per_s", "cpu_busy_share",        "cpu_pressure_share",
                                           "run_delay_share",          "gpu_sm_active_share",   "gpu_dram_active_share",
                                           "gpu_sm_clock_hertz"};

bool is_too_brief(const LoadReading& reading) {
  const bool is_of_waiting = reading.name.starts_with("probe_") && reading.name.find("wait") != reading.name.npos;
  return is_of_waiting && reading.value && reading.window && *reading.window < least_probe_time;
}

/// Without what a brief probe tells of waiting.
LoadSnapshot long_enough(LoadSnapshot snapshot) {
  std::erase_if(snapshot.readings, [](const LoadReading& reading) { return is_too_brief(reading); });
  return snapshot;
}

}  // namespace

bool is_stress_kind(std::string_view kind) {
  return std::find(std::begin(stress_kinds), std::end(stress_kinds), kind) != std::end(stress_kinds);
}

std::string to_string(const AskedLoad& load) {
  return load.is_quiet() ? std::string() : fmt::format("{} {:.0f}% x {}", load.kind, 100 * load.level, load.threads);
}

StressTask stress_task_of(const AskedLoad& load, Nanoseconds duration) {
  StressTask task;
  (load.kind == "compute"  ? task.processors.compute
   : load.kind == "memory" ? task.processors.memory
                           : task.processors.cache) = load.level;
  task.threads = load.threads, task.duration = duration;
  return task;
}

std::span<const std::string_view> seen_load_features() { return seen_names; }

std::string brief_probe(const LoadSnapshot& snapshot) {
  for (const LoadReading& reading : snapshot.readings)
    if (is_too_brief(reading))
      return fmt::format(
          "the probe worked for {}, and a prediction needs {}: a shorter one sees no wait or a whole "
          "turn; give 'takt exporter' probe: {{time: 500ms}} or more",
          format_duration(Duration(*reading.window)), format_duration(Duration(least_probe_time)));
  return "";
}

SeenLoad seen_in(const LoadSnapshot& all) {
  const LoadSnapshot snapshot = long_enough(all);
  SeenLoad seen;
  for (const std::string_view name : seen_names) {
    const auto value = name.starts_with("gpu_") ? live_value(snapshot, name) : live_value(snapshot, name, "host");
    if (value) seen.emplace(name, *value);
  }
  if (const auto trend = live_value(snapshot, wait_trend_feature, "host")) seen.emplace(wait_trend_feature, *trend);
  return seen;
}

// On two processors with three busy threads each gets two thirds of one, but only over a while: within 0.2 s a thread
// shares one with another, or has one to itself. Of 84 pairs of a probe and a thread that ran for 1.5 s afterwards,
// beside 21 loads, a probe of 0.2 s told the thread's waiting with an error of 7.4 % of its time, one of 0.5 s 4.6 %,
// of 1 s 2.9 %.
LoadConfig usual_load_config() {
  using namespace std::chrono_literals;
  LoadConfig config;
  config.window = 250ms, config.probe.time = 1s;
  return config;
}

std::vector<AskedLoad> StressPlan::loads_of(std::size_t model, std::uint64_t seed) const {
  std::vector<int> counts = threads;
  if (counts.empty()) counts = {usable_core_count(), 2 * usable_core_count()};
  std::vector<AskedLoad> loads;
  for (const std::string& kind : kinds)
    for (const double level : levels)
      for (const int count : counts) loads.push_back({kind, level, count});
  if (per_model <= 0 || static_cast<std::size_t>(per_model) >= loads.size()) return loads;
  Random random(seed * 1'000'003 + model);
  shuffle(loads, random);
  loads.resize(static_cast<std::size_t>(per_model));
  return loads;
}

}  // namespace takt
