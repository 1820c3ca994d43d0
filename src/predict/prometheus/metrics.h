// From the samples that Prometheus has kept to takt's features: which metric means what, in which unit. Pure.
//
// Prometheus' answer to an instant query of plain metrics bears the time of the question, whatever the age of the
// value: up to five minutes. So takt asks for the raw samples of the last minute instead (an instant query of a range
// selector), all metrics at once, and takes from them what it needs: the age, the mean of a gauge, the rate of a
// counter over the samples that there are.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "predict/load/source.h"
#include "predict/prometheus/answer.h"
#include "predict/prometheus/series.h"

namespace takt {

/// How long the probe of takt's exporter worked, in seconds; readings of probe_… have it as their window.
inline constexpr std::string_view probe_window_metric = "takt_probe_window_seconds";

/// The query for all of them: the samples of the last `seconds` of every metric that has a meaning here, of series with
/// these labels.
std::string metrics_query(double seconds, const std::map<std::string, std::string>& match);

/// The features that the series tell. Where a program's metrics are there in part, the missing ones are readings
/// without value; where none is, one trouble names the program.
SourceReadings metric_readings(const std::vector<PrometheusSeries>& series, const MetricWindow& window);

/// A reading of what a user asks for himself: the mean of the answer's samples. `answer` is that of a range query over
/// the window.
LoadReading own_reading(const std::string& name, const std::string& unit, const PrometheusAnswer& answer,
                        const MetricWindow& window);

}  // namespace takt
