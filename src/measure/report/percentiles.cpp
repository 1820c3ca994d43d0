#include "measure/report/percentiles.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/statistics/statistics.h"

namespace takt {
namespace {

struct PercentileRow {
  std::string pass;
  double percentile;
  Duration time, host;
};

constexpr Column<PercentileRow> percentile_columns[] = {
    {"percentile_pass", "Pass", [](const PercentileRow& r) -> Cell { return r.pass; },
     "Runs that the percentile describes: plain, without operator times, or profiled, with them."},
    {"percentile", "Percentile", [](const PercentileRow& r) -> Cell { return r.percentile; },
     "Share of the runs, in percent, that took less time: one of --percentiles."},
    {"percentile_us", "Time", [](const PercentileRow& r) -> Cell { return r.time; },
     "The percentile of the runs' times; with several requests in flight, of their latencies. Linear interpolation "
     "between the two nearest ranks."},
    {"host_percentile_us", "Host time", [](const PercentileRow& r) -> Cell { return r.host; },
     "The percentile of the times from before takt's call to the runtime until control returned to takt."},
};

constexpr TableDefinition<PercentileRow> percentiles_definition{
    "percentiles", "The percentiles that --percentiles lists: a row per pass and percentile.", percentile_columns};

std::vector<double> sorted(const std::vector<Nanoseconds>& samples) {
  std::vector<double> values;
  for (const auto sample : samples) values.push_back(Duration(sample).count());
  std::sort(values.begin(), values.end());
  return values;
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
    const auto times = sorted((*pass)->samples), host = sorted((*pass)->host_samples);
    for (const double wanted : percentiles)
      rows.push_back({(*pass)->profiled ? "profiled" : "plain", wanted, Duration(percentile(times, wanted / 100)),
                      Duration(percentile(host, wanted / 100))});
  }
  return percentiles_definition.make(rows);
}

TableSchema percentiles_schema() { return percentiles_definition.schema(); }

}  // namespace takt
