#include "load/prometheus_series.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>

namespace takt {
namespace {

/// DCGM writes these into a field that the GPU does not fill: the blank of 32 bits, of 64 and of a double, and up to
/// sixteen reasons behind each.
bool is_dcgm_blank(double value) {
  for (const double blank : {2147483632.0, 140737488355328.0, 9223372036854775792.0})
    if (value >= blank && value <= blank + 16) return true;
  return false;
}

/// Samples inside the window; where these are too few, the last ones before its end.
std::vector<PrometheusSample> samples_in(const std::vector<PrometheusSample>& all, const MetricWindow& window,
                                         std::size_t least) {
  std::vector<PrometheusSample> inside;
  std::size_t until = 0;
  for (; until < all.size() && all[until].time <= window.end; ++until)
    if (all[until].time >= window.begin) inside.push_back(all[until]);
  if (inside.size() >= least) return inside;
  const std::size_t from = until > least ? until - least : 0;
  return {all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(until)};
}

SeriesValue gauge_of(const std::vector<PrometheusSample>& samples, bool is_dcgm) {
  SeriesValue found;
  double sum = 0;
  for (const auto& sample : samples) {
    if (!std::isfinite(sample.value)) found.trouble = fmt::format("its value is {}", sample.value);
    if (is_dcgm && is_dcgm_blank(sample.value)) found.trouble = "the GPU does not fill this field of DCGM";
    sum += sample.value;
  }
  if (found.trouble.empty()) found.value = sum / static_cast<double>(samples.size());
  return found;
}

/// A counter that is smaller than before began anew: all that it shows has been added since.
SeriesValue rate_of(const std::vector<PrometheusSample>& samples) {
  SeriesValue found;
  const double seconds = samples.back().time - samples.front().time;
  double grown = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!std::isfinite(samples[i].value) || samples[i].value < 0)
      found.trouble = fmt::format("its value is {}", samples[i].value);
    if (i > 0) grown += samples[i].value - (samples[i].value < samples[i - 1].value ? 0 : samples[i - 1].value);
  }
  if (found.trouble.empty() && (samples.size() < 2 || seconds <= 0))
    found.trouble = "there is only one sample of this counter; ask for a longer time (lookback)";
  if (found.trouble.empty()) found.value = grown / seconds;
  return found;
}

}  // namespace

SeriesValue value_of(const PrometheusSeries& series, SampleKind kind, bool is_dcgm, const MetricWindow& window) {
  const auto samples = samples_in(series.samples, window, kind == SampleKind::counter ? 2 : 1);
  if (samples.empty()) return {std::nullopt, 0, 0, "it has no sample of that time"};
  SeriesValue found = kind == SampleKind::counter ? rate_of(samples) : gauge_of(samples, is_dcgm);
  found.last = samples.back().time;
  found.span = samples.back().time - samples.front().time;
  return found;
}

SeriesList still_told(const SeriesList& all, const MetricWindow& window) {
  constexpr double usual_gap = 2;  // seconds, of a series that has just begun
  double newest = 0, gap = usual_gap;
  std::vector<double> last(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto samples = samples_in(all[i]->samples, {window.end, window.end, window.now, window.stale_after}, 2);
    if (!samples.empty()) last[i] = samples.back().time;
    if (last[i] <= newest) continue;
    newest = last[i];
    gap = samples.size() > 1 ? samples.back().time - samples.front().time : usual_gap;
  }
  SeriesList told;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (last[i] >= newest - gap / 2) told.push_back(all[i]);
  return told;
}

}  // namespace takt
