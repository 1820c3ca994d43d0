#include "predict/load/host_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/usage.h"

namespace takt {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  for (auto& word : split(line, ' '))
    if (!trim(word).empty()) words.emplace_back(trim(word));
  return words;
}

bool counts(std::span<const int> processors, int processor) {
  return processors.empty() || std::find(processors.begin(), processors.end(), processor) != processors.end();
}

/// "cpu12" → 12; nullopt: "cpu", "intr".
std::optional<int> processor_of(std::string_view word) {
  return word.starts_with("cpu") ? number_in<int>(word.substr(3)) : std::nullopt;
}

/// A count that a file gives; it cannot be negative.
double count_in(const std::vector<std::string>& words, std::size_t place) {
  const auto value = place < words.size() ? number_in<std::int64_t>(words[place]) : std::nullopt;
  if (!value || *value < 0) refuse_input("does not have the expected columns");
  return static_cast<double>(*value);
}

/// Files below a root, each read into one total or a reason.
class HostFiles {
 public:
  HostFiles(std::filesystem::path root, std::map<std::string, std::string>& reasons)
      : root_(std::move(root)), reasons_(reasons) {}

  template <typename Parse>
  auto read(const std::string& path, const Parse& parse, std::initializer_list<const char*> features)
      -> std::optional<decltype(parse(std::string_view()))> {
    try {
      const std::string text = read_file(root_ / path);
      try {
        return parse(std::string_view(text));
      } catch (const Error& error) {
        note(features, fmt::format("/{} {}", path, error.what()));
      }
    } catch (const Error& error) {
      note(features, error.what());
    }
    return std::nullopt;
  }

  void note(std::initializer_list<const char*> features, const std::string& reason) {
    for (const char* feature : features) reasons_[feature] = reason;
  }

 private:
  std::filesystem::path root_;
  std::map<std::string, std::string>& reasons_;
};

/// The mean over processors that tell. Where the first one does not, as in a virtual machine, none does.
std::optional<double> mean_clock(std::span<const int> processors, HostFiles& files) {
  double sum = 0;
  int told = 0;
  static constexpr std::array<int, 1> first{0};
  for (const int processor : processors.empty() ? std::span<const int>(first) : processors) {
    const auto khz =
        files.read(fmt::format("sys/devices/system/cpu/cpu{}/cpufreq/scaling_cur_freq", processor),
                   [](std::string_view text) { return count_in({std::string(trim(text))}, 0); }, {"cpu_clock_hertz"});
    if (!khz && told == 0) return std::nullopt;
    if (khz) sum += *khz * 1000, ++told;
  }
  return sum / told;
}

/// A share of the time between two readings of totals.
struct Span {
  const HostTotals& before;
  const HostTotals& after;
  double seconds() const { return static_cast<double>((after.time - before.time).count()) / 1e9; }
};

using Value = std::optional<double>;

Value share_of(const Span& span, const std::optional<Nanoseconds> HostTotals::*total) {
  const auto& from = span.before.*total;
  const auto& to = span.after.*total;
  if (!from || !to || span.seconds() <= 0) return std::nullopt;
  return static_cast<double>((*to - *from).count()) / 1e9 / span.seconds();
}

Value tick_share(const Span& span, double ProcessorTicks::*kind) {
  if (!span.before.ticks || !span.after.ticks) return std::nullopt;
  const double all = span.after.ticks->all() - span.before.ticks->all();
  return all > 0 ? Value((*span.after.ticks.*kind - *span.before.ticks.*kind) / all) : std::nullopt;
}

Value delay_share(const Span& span) {
  const auto &from = span.before.run_delay, &to = span.after.run_delay;
  if (!from || !to || from->processors != to->processors || span.seconds() <= 0) return std::nullopt;
  return static_cast<double>((to->waited - from->waited).count()) / 1e9 / span.seconds() / to->processors;
}

}  // namespace

ProcessorTicks parse_processor_ticks(std::string_view text, std::span<const int> processors) {
  ProcessorTicks sum;
  bool found = false;
  for (const auto& line : split(text, '\n')) {
    const auto words = words_of(line);
    const auto processor = words.empty() ? std::nullopt : processor_of(words.front());
    if (!processor || !counts(processors, *processor)) continue;
    // user nice system idle iowait irq softirq steal; guest time is part of user's. The oldest kernels stop before.
    std::array<double, 8> ticks{};
    for (std::size_t i = 0; i < ticks.size(); ++i)
      ticks[i] = i < 4 || i + 1 < words.size() ? count_in(words, i + 1) : 0;
    sum.busy += ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
    sum.idle += ticks[3], sum.iowait += ticks[4], sum.steal += ticks[7];
    found = true;
  }
  if (!found) refuse_input("has no line for the CPUs that takt may use");
  return sum;
}

Nanoseconds parse_pressure(std::string_view text) {
  for (const auto& line : split(text, '\n')) {
    if (!line.starts_with("some ")) continue;
    for (const auto& word : words_of(line))
      if (word.starts_with("total=")) {
        const double us = count_in({word.substr(6)}, 0);
        if (us > 9e15) break;
        return Nanoseconds(static_cast<std::int64_t>(us) * 1000);
      }
  }
  refuse_input("has no line 'some ... total=MICROSECONDS'");
}

RunDelay parse_run_delay(std::string_view text, std::span<const int> processors) {
  RunDelay sum;
  for (const auto& line : split(text, '\n')) {
    const auto words = words_of(line);
    const auto processor = words.empty() ? std::nullopt : processor_of(words.front());
    if (!processor || !counts(processors, *processor)) continue;
    const double waited = count_in(words, 8);
    if (waited + static_cast<double>(sum.waited.count()) > 9e18) refuse_input("has impossibly long times");
    sum.waited += Nanoseconds(static_cast<std::int64_t>(waited));
    ++sum.processors;
  }
  if (sum.processors == 0) refuse_input("has no line for the CPUs that takt may use");
  return sum;
}

LoadAverage parse_load_average(std::string_view text) {
  const auto words = words_of(text);  // "0.20 0.18 0.12 1/80 11206"
  const auto minute = words.size() > 3 ? number_in<double>(words[0]) : std::nullopt;
  const auto slash = words.size() > 3 ? words[3].find('/') : std::string::npos;
  const auto runnable = slash != std::string::npos ? number_in<double>(words[3].substr(0, slash)) : std::nullopt;
  if (!minute || !runnable || !std::isfinite(*minute) || !std::isfinite(*runnable) || *minute < 0 || *runnable < 0)
    refuse_input("is not of the form '0.20 0.18 0.12 1/80 11206'");
  return {*minute, *runnable};
}

double parse_available_bytes(std::string_view text) {
  for (const auto& line : split(text, '\n'))
    if (line.starts_with("MemAvailable:")) return count_in(words_of(line), 1) * 1024;
  refuse_input("has no line 'MemAvailable'");
}

std::pair<Nanoseconds, Nanoseconds> parse_thread_schedule(std::string_view text) {
  const auto words = words_of(text);
  const auto ns = [&](std::size_t place) {
    return Nanoseconds(static_cast<std::int64_t>(std::min(count_in(words, place), 9e18)));
  };
  return {ns(0), ns(1)};
}

HostTotals read_host_totals(const std::filesystem::path& root, std::span<const int> processors) {
  HostTotals totals;
  HostFiles files(root, totals.reasons);
  totals.time = steady_now();
  totals.ticks = files.read("proc/stat", [&](auto text) { return parse_processor_ticks(text, processors); },
                            {"cpu_busy_share", "cpu_iowait_share", "cpu_steal_share"});
  totals.cpu_pressure = files.read("proc/pressure/cpu", parse_pressure, {"cpu_pressure_share"});
  totals.memory_pressure = files.read("proc/pressure/memory", parse_pressure, {"memory_pressure_share"});
  totals.io_pressure = files.read("proc/pressure/io", parse_pressure, {"io_pressure_share"});
  totals.run_delay =
      files.read("proc/schedstat", [&](auto text) { return parse_run_delay(text, processors); }, {"run_delay_share"});
  totals.average = files.read("proc/loadavg", parse_load_average, {"load_average", "runnable_threads"});
  totals.available_bytes = files.read("proc/meminfo", parse_available_bytes, {"memory_available_bytes"});
  totals.clock_hertz = mean_clock(processors, files);
  totals.throttled = group_throttled(root);
  if (!totals.throttled) files.note({"cpu_throttled_share"}, "no control group of this process reports it");
  return totals;
}

std::vector<LoadReading> host_readings(const HostTotals& before, const HostTotals& after) {
  std::vector<LoadReading> readings;
  const Span span{before, after};
  const auto add = [&](const char* feature, Value value, bool is_moment) {
    LoadReading& reading = readings.emplace_back(reading_of(feature, "host", "host"));
    const auto late = after.reasons.find(feature), early = before.reasons.find(feature);
    if (value && (!std::isfinite(*value) || *value < 0)) {
      reading.trouble = "the system's counter went backwards";
    } else if (value) {
      reading.value = value;
      reading.age = Nanoseconds(0);
      if (!is_moment) reading.window = after.time - before.time;
    } else {
      reading.trouble = late != after.reasons.end()     ? late->second
                        : early != before.reasons.end() ? early->second
                                                        : "the measured time is too short";
    }
  };
  add("cpu_busy_share", tick_share(span, &ProcessorTicks::busy), false);
  add("cpu_iowait_share", tick_share(span, &ProcessorTicks::iowait), false);
  add("cpu_steal_share", tick_share(span, &ProcessorTicks::steal), false);
  add("cpu_throttled_share", share_of(span, &HostTotals::throttled), false);
  add("cpu_pressure_share", share_of(span, &HostTotals::cpu_pressure), false);
  add("memory_pressure_share", share_of(span, &HostTotals::memory_pressure), false);
  add("io_pressure_share", share_of(span, &HostTotals::io_pressure), false);
  add("run_delay_share", delay_share(span), false);
  add("runnable_threads", after.average ? Value(after.average->runnable) : std::nullopt, true);
  add("load_average", after.average ? Value(after.average->minute) : std::nullopt, true);
  add("cpu_clock_hertz", after.clock_hertz, true);
  add("memory_available_bytes", after.available_bytes, true);
  return readings;
}

}  // namespace takt
