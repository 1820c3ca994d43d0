#include "base/table/histogram.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

/// A bar of eight heights; a bin with anything in it is never blank.
std::string_view bar(std::size_t count, std::size_t most) {
  constexpr std::array<std::string_view, 9> bars{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  return bars[(count * 8 + most - 1) / most];
}

}  // namespace

Histogram histogram_of(std::span<const Nanoseconds> samples, std::size_t bins) {
  std::vector<double> sorted;
  for (const Nanoseconds sample : samples) sorted.push_back(Duration(sample).count());
  std::sort(sorted.begin(), sorted.end());
  const double low = sorted.front(), slowest = sorted.back();
  const double high = std::min(slowest, low + 2 * (percentile(sorted, 0.95) - low));
  Histogram histogram{Duration(low), Duration(high), Duration(slowest), std::vector<std::size_t>(bins), 0};
  for (const double sample : sorted) {
    const double place = high > low ? (sample - low) / (high - low) * static_cast<double>(bins) : 0;
    if (sample > high)
      ++histogram.beyond;
    else
      ++histogram.counts[std::min(bins - 1, static_cast<std::size_t>(place))];
  }
  return histogram;
}

std::string histogram_line(std::span<const Nanoseconds> samples, std::size_t bins) {
  constexpr std::size_t fewest = 5;
  if (samples.size() < fewest) return "";
  if (bins == 0) bins = std::clamp<std::size_t>(samples.size() / 3, 10, 40);
  const Histogram histogram = histogram_of(samples, bins);
  if (histogram.low == histogram.slowest) return "";
  const std::size_t most =
      std::max<std::size_t>(1, *std::max_element(histogram.counts.begin(), histogram.counts.end()));
  std::string line = format_duration(histogram.low) + " ";
  for (const std::size_t count : histogram.counts) line += bar(count, most);
  line += " " + format_duration(histogram.high);
  if (histogram.beyond > 0)
    line += fmt::format(", {} slower (up to {})", histogram.beyond, format_duration(histogram.slowest));
  return line;
}

}  // namespace takt
