#include "measure/report/percentiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/statistics/percentile_interval.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

struct PercentileRow {
  std::string pass;
  double percentile = 0;
  std::optional<Duration> time, host, low, high;  ///< of the two first none where too few runs carry it
  std::optional<std::int64_t> needed;             ///< so many runs, where there are fewer
};

constexpr Column<PercentileRow> percentile_columns[] = {
    {"percentile_pass", "Pass", [](const PercentileRow& r) -> Cell { return r.pass; },
     "Runs that the percentile describes: plain, without operator times, or profiled, with them."},
    {"percentile", "Percentile", [](const PercentileRow& r) -> Cell { return r.percentile; },
     "Share of the runs, in percent, that took less time: one of --percentiles."},
    {"percentile_us", "Time", [](const PercentileRow& r) { return optional_cell(r.time); },
     "The percentile of the runs' times; with several requests in flight, of their latencies. Linear interpolation "
     "between the two nearest ranks. Empty with too few runs: percentile_needs_runs says how many it needs."},
    {"host_percentile_us", "Host time", [](const PercentileRow& r) { return optional_cell(r.host); },
     "The percentile of the times from before takt's call to the runtime until control returned to takt."},
    {"percentile_low_us", "CI low", [](const PercentileRow& r) { return optional_cell(r.low); },
     "Lower end of the 95 % interval of the percentile of all runs that might have been measured, whatever their "
     "distribution; slow runs that follow each other count as fewer. Empty if the runs do not reach so far."},
    {"percentile_high_us", "CI high", [](const PercentileRow& r) { return optional_cell(r.high); },
     "Upper end of the 95 % interval of the percentile. Empty if the runs do not reach so far."},
    {"percentile_needs_runs", "Needs runs", [](const PercentileRow& r) { return optional_cell(r.needed); },
     "Runs that the percentile needs, 3 / (1 - percentile / 100), if fewer were measured; 300 for the 99th, 3000 for "
     "the 99.9th. Empty if there are enough."},
};

constexpr TableDefinition<PercentileRow> percentiles_definition{
    "percentiles", "The percentiles that --percentiles lists: a row per pass and percentile.", percentile_columns};

std::vector<double> microseconds(const std::vector<Nanoseconds>& samples) {
  std::vector<double> values;
  for (const auto sample : samples) values.push_back(Duration(sample).count());
  return values;
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

std::optional<Duration> as_time(const std::optional<double>& us) {
  return us ? std::optional(Duration(*us)) : std::nullopt;
}

PercentileRow row_of(const RunPass& pass, double wanted) {
  const double fraction = wanted / 100;
  const auto times = microseconds(pass.samples);
  PercentileRow row;
  row.pass = pass.profiled ? "profiled" : "plain", row.percentile = wanted;
  const PercentileInterval interval = percentile_interval(times, fraction);
  row.low = as_time(interval.low), row.high = as_time(interval.high);
  if (const auto needed = samples_for_percentile(fraction); times.size() < needed) {
    row.needed = static_cast<std::int64_t>(needed);
    return row;
  }
  row.time = Duration(percentile(sorted(times), fraction));
  row.host = Duration(percentile(sorted(microseconds(pass.host_samples)), fraction));
  return row;
}

}  // namespace

std::vector<double> parse_percentiles(std::string_view text) {
  std::vector<double> percentiles;
  for (const auto& part : split(text, ',')) {
    const auto value = number_in<double>(trim(part));
    if (!value || !(*value >= 0 && *value <= 100))
      throw UsageError(
          fmt::format("--percentiles '{}': '{}' is not a number from 0 to 100; write numbers such as 50,95,99.9",
                      printable(text), printable(part)));
    percentiles.push_back(*value);
  }
  return percentiles;
}

Table percentiles_table(const RunResult& result, const std::vector<double>& percentiles) {
  std::vector<PercentileRow> rows;
  for (const auto* pass : {&result.plain, &result.profiled}) {
    if (!*pass || (*pass)->samples.empty()) continue;
    for (const double wanted : percentiles) rows.push_back(row_of(**pass, wanted));
  }
  return percentiles_definition.make(rows);
}

TableSchema percentiles_schema() { return percentiles_definition.schema(); }

}  // namespace takt
