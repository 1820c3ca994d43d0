// What the samples of one series say of a span of time: the mean of a gauge, what a counter grows by, how old it is.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "load/prometheus_answer.h"

namespace takt {

/// What of the samples is asked for; seconds by the server's clock.
struct MetricWindow {
  double begin = 0, end = 0;  ///< the span whose load is wanted
  double now = 0;             ///< ages count to it
  double stale_after = 60;    ///< a value whose last sample is older is not the present
};

enum class SampleKind {
  gauge,    ///< the mean of the samples
  counter,  ///< what it grows by per second; a counter that falls began anew
};

struct SeriesValue {
  std::optional<double> value;
  double last = 0, span = 0;  ///< seconds: of the last sample that counts; between the first and the last
  std::string trouble;        ///< why there is no value
};

/// Of the samples inside the window; where these are too few, of the last ones before its end. `is_dcgm`: fields that a
/// GPU leaves blank are no values.
SeriesValue value_of(const PrometheusSeries& series, SampleKind kind, bool is_dcgm, const MetricWindow& window);

using SeriesList = std::vector<const PrometheusSeries*>;

/// Those that the newest samples belong to. Where a label changes (a program on a GPU, a processor that goes) the
/// series before has ended, and its samples are still among the last minute's. One scrape gives all its samples one
/// time.
SeriesList still_told(const SeriesList& all, const MetricWindow& window);

}  // namespace takt
