// What the samples of one series say of a span of time: the mean of a gauge, what a counter grows by, how old it is.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "predict/load/reading.h"
#include "predict/prometheus/answer.h"

namespace takt {

/// The requested samples; seconds by the server's clock.
struct MetricWindow {
  double begin = 0, end = 0;  ///< the span whose load is wanted
  double now = 0;             ///< ages count to it
  double stale_after = 60;    ///< a value whose last sample is older is not the present
};

enum class SampleKind {
  gauge,    ///< the mean of the samples
  counter,  ///< what it grows by per second; while a counter falls, it tells no rate
};

/// Range of valid samples, in the metric's own unit: values of a gauge, rates of a counter.
struct SamplesExpected {
  SampleKind kind = SampleKind::gauge;
  LoadRange range{};
  bool is_dcgm = false;  ///< fields that a GPU leaves blank, or fills with ones, are no values
};

struct SeriesValue {
  std::optional<double> value;
  double last = 0, span = 0;  ///< seconds: of the last sample that counts; between the first and the last
  std::string trouble;        ///< why there is no value
  std::string left_out;       ///< samples that cannot be, which the value is without: "1 of 6 samples (reported ...)"
};

/// Of the samples inside the window; where these are too few, of the last ones before its end. Samples that cannot be
/// are left out; where they are half of all or more, there is no value.
SeriesValue value_of(const PrometheusSeries& series, const SamplesExpected& expected, const MetricWindow& window);

using SeriesList = std::vector<const PrometheusSeries*>;

/// Those that the newest samples belong to. Where a label changes (a program on a GPU, a processor that goes) the
/// series before has ended, and its samples are still among the last minute's. One scrape gives all its samples one
/// time.
SeriesList still_told(const SeriesList& all, const MetricWindow& window);

}  // namespace takt
