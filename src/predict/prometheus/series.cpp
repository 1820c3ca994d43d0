#include "predict/prometheus/series.h"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <utility>

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

/// All bits of 32 or 64: what DCGM tells where its counter broke.
bool is_dcgm_ones(double value) { return value == 4294967295.0 || value >= 18446744073709549568.0; }

/// Why a sample is none; empty: it can be.
std::string fault_of(double value, const SamplesExpected& expected) {
  if (!std::isfinite(value)) return fmt::format("its value is {}", value);
  if (expected.is_dcgm && is_dcgm_blank(value)) return "the GPU does not support this field of DCGM";
  if (expected.is_dcgm && is_dcgm_ones(value))
    return fmt::format("reported {:.10g}, which is not a valid value", value);
  return is_possible(value, expected.range) ? "" : impossible(value, expected.range);
}

/// Adds up what can be of a series, and counts the rest.
class Kept {
 public:
  void add(double value, double weight, std::string fault) {
    ++all_;
    if (fault.empty()) {
      sum_ += value, weights_ += weight;
      return;
    }
    ++faulty_;
    fault_ = std::move(fault);
  }

  SeriesValue mean() const {
    SeriesValue found;
    if (2 * faulty_ >= all_)
      found.trouble = faulty_ == 1 ? fault_ : fmt::format("{} ({} of {} samples)", fault_, faulty_, all_);
    else
      found.value = sum_ / weights_;
    if (found.value && faulty_ > 0) found.left_out = fmt::format("{} of {} samples ({})", faulty_, all_, fault_);
    return found;
  }

 private:
  double sum_ = 0, weights_ = 0;
  std::size_t all_ = 0, faulty_ = 0;
  std::string fault_;  ///< of the last that is none
};

SeriesValue gauge_of(const std::vector<PrometheusSample>& samples, const SamplesExpected& expected) {
  Kept kept;
  for (const auto& sample : samples) kept.add(sample.value, 1, fault_of(sample.value, expected));
  return kept.mean();
}

/// Why two samples of a counter, one behind the other, tell no rate; empty: they do.
std::string fault_between(const PrometheusSample& before, const PrometheusSample& after,
                          const SamplesExpected& expected) {
  for (const double value : {before.value, after.value})
    if (!std::isfinite(value) || value < 0) return fmt::format("its value is {}", value);
  if (after.value < before.value) return "this counter decreased, as after a restart";
  // Of two samples close together clocks make more than of many.
  const LoadRange range{expected.range.least, 1.5 * expected.range.most};
  const double rate = (after.value - before.value) / (after.time - before.time);
  return is_possible(rate, range) ? "" : impossible(rate, expected.range);
}

SeriesValue rate_of(const std::vector<PrometheusSample>& samples, const SamplesExpected& expected) {
  Kept kept;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const auto &before = samples[i - 1], &after = samples[i];
    if (after.time <= before.time) continue;
    kept.add(after.value - before.value, after.time - before.time, fault_between(before, after, expected));
  }
  if (samples.size() < 2 || samples.back().time <= samples.front().time) {
    const double value = samples.back().value;
    SeriesValue none;
    none.trouble = !std::isfinite(value) || value < 0
                       ? fmt::format("its value is {}", value)
                       : "this counter has only one sample; query a longer time (lookback)";
    return none;
  }
  return kept.mean();
}

}  // namespace

SeriesValue value_of(const PrometheusSeries& series, const SamplesExpected& expected, const MetricWindow& window) {
  const bool is_counter = expected.kind == SampleKind::counter;
  const auto samples = samples_in(series.samples, window, is_counter ? 2 : 1);
  if (samples.empty()) return {std::nullopt, 0, 0, "it has no sample in that time", ""};
  SeriesValue found = is_counter ? rate_of(samples, expected) : gauge_of(samples, expected);
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
