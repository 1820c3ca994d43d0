#include "base/machine/peaks_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace takt {
namespace {

struct Line {
  std::string what;
  int threads = 1;
  std::optional<std::int64_t> bytes;
  std::optional<double> gflop_per_s, gbytes_per_s, spread;
  std::optional<Duration> time;
};

constexpr Column<Line> columns[] = {
    {"peak", "Peak", [](const Line& r) -> Cell { return r.what; },
     "What was measured at its limit: multiply-adds of a type, reading or copying in a level of memory, waking a "
     "thread; the instructions are in brackets."},
    {"threads", "Threads", [](const Line& r) -> Cell { return static_cast<std::int64_t>(r.threads); },
     "Number of threads that ran concurrently."},
    {"room_kib", "Capacity KiB", [](const Line& r) { return r.bytes ? Cell(*r.bytes / 1024) : Cell(); },
     "Memory that fits in the level for all threads of the row together, in units of 1024 bytes."},
    {"peak_gflops_per_s", "GFLOP/s", [](const Line& r) { return optional_cell(r.gflop_per_s); },
     "Best rate of a slice of about a millisecond, in 10^9 operations per second; a multiply-add counts as two."},
    {"peak_gbytes_per_s", "GB/s", [](const Line& r) { return optional_cell(r.gbytes_per_s); },
     "Best rate of a slice of about a millisecond, in 10^9 bytes per second; a copy counts the bytes read and the "
     "bytes written."},
    {"peak_time_us", "Time", [](const Line& r) { return optional_cell(r.time); },
     "Time from notifying a sleeping thread until the thread runs; median over the best times of the rounds."},
    {"spread_percent", "Spread %", [](const Line& r) { return optional_cell(r.spread); },
     "Difference between the best and the median round, as a share of the best. If it is large, the machine was busy: "
     "measure again."},
};

constexpr TableDefinition<Line> peaks_definition{
    "peaks", "Measured peaks of the CPU (--measure): a row per limit and number of threads.", columns};

double spread_of(const PeakRate& rate) { return rate.best > 0 ? (1 - rate.median / rate.best) * 100 : 0; }

void add_compute(std::vector<Line>& lines, const std::string& what, const PeakPair& pair, int threads) {
  lines.push_back({what, 1, {}, pair.one.best / 1e9, {}, spread_of(pair.one), {}});
  lines.push_back({what, threads, {}, pair.all.best / 1e9, {}, spread_of(pair.all), {}});
}

void add_memory(std::vector<Line>& lines, const LevelPeaks& level, const std::string& reads_with, int threads) {
  for (const auto& [verb, pair] : {std::pair(" read (" + reads_with + ")", &level.read), {" copy", &level.copy}}) {
    lines.push_back({level.name + verb, 1, level.bytes_one, {}, pair->one.best / 1e9, spread_of(pair->one), {}});
    lines.push_back({level.name + verb, threads, level.bytes_all, {}, pair->all.best / 1e9, spread_of(pair->all), {}});
  }
}

}  // namespace

Table peaks_table(const Peaks& peaks) {
  std::vector<Line> lines;
  for (const ComputePeaks& compute : peaks.compute)
    add_compute(lines, std::string(name_of(compute.type)) + " (" + compute.instructions + ")", compute.rate,
                peaks.threads);
  for (const LevelPeaks& level : peaks.levels) add_memory(lines, level, peaks.reads_with, peaks.threads);
  lines.push_back({"thread wake-up", 1, {}, {}, {}, {}, peaks.wake_up});
  return peaks_definition.make(lines);
}

// The share of others and the spread tell of different programs: those that ran all the while, and those now and then.
std::string busy_warning(const Peaks& peaks) {
  double worst = 0;
  const auto look_at = [&](const PeakPair& pair) {
    worst = std::max({worst, spread_of(pair.one), spread_of(pair.all)});
  };
  for (const ComputePeaks& compute : peaks.compute) look_at(compute.rate);
  for (const LevelPeaks& level : peaks.levels) look_at(level.read);
  const double others = peaks.others_busy.value_or(0) * 100;
  if (worst < 30 && others < 10) return "";
  std::string shares = fmt::format("the rounds of one limit differ by {:.0f} %", worst);
  if (peaks.others_busy) shares = fmt::format("other programs used {:.0f} % of its CPUs, and {}", others, shares);
  return fmt::format("the machine was busy while its peaks were measured ({}): measure again when it is idle", shares);
}

TableSchema peaks_schema() { return peaks_definition.schema(); }

}  // namespace takt
