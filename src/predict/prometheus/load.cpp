#include "predict/prometheus/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/basics/error.h"
#include "predict/prometheus/metrics.h"

namespace takt {
namespace {

double seconds_of(Nanoseconds time) { return static_cast<double>(time.count()) / 1e9; }

/// What is left until then, and at least a moment: the server is then late, not asked wrongly.
Nanoseconds time_left(Nanoseconds deadline) {
  return std::max<Nanoseconds>(deadline - steady_now(), Nanoseconds(1'000'000));
}

}  // namespace

PrometheusLoad::PrometheusLoad(PrometheusSettings settings)
    : settings_(std::move(settings)), client_(settings_.address) {}

SourceReadings PrometheusLoad::read() {
  try {
    return ask();
  } catch (const Error& error) {
    return {{}, {{"prometheus", error.what()}}};
  }
}

/// The server's clock, since its samples bear its times, and its clock need not agree with ours.
double PrometheusLoad::server_time(Nanoseconds deadline) {
  const PrometheusAnswer answer = client_.query("time()", time_left(deadline));
  if (answer.kind != PrometheusAnswer::Kind::scalar)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: the server is not Prometheus: it does not report its time", client_.url()));
  return answer.series.front().samples.front().value;
}

SourceReadings PrometheusLoad::ask() {
  const Nanoseconds deadline = steady_now() + settings_.timeout;
  const double now = server_time(deadline);
  const double span = begin_ ? seconds_of(steady_now() - *begin_) : 0;
  const MetricWindow window{now - span, now, now, seconds_of(settings_.stale_after)};
  const double back = std::max(seconds_of(settings_.lookback), span + 1);
  const PrometheusAnswer answer = client_.query(metrics_query(back, settings_.match), time_left(deadline));
  if (answer.kind != PrometheusAnswer::Kind::matrix)
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: the server is not Prometheus: it returns no samples over time", client_.url()));
  SourceReadings told = metric_readings(answer.series, window);
  for (const std::string& warning : answer.warnings) told.troubles.push_back({"prometheus", "it warns: " + warning});
  const double step = std::max(1.0, span / 100);
  for (const OwnMetric& metric : settings_.metrics) {
    try {
      const PrometheusAnswer own =
          client_.query_range(metric.query, now - std::max(span, step), now, step, time_left(deadline));
      told.readings.push_back(own_reading(metric.name, metric.unit, own, window));
    } catch (const Error& error) {  // the others are told all the same
      told.readings.push_back({metric.name, "host", "prometheus", metric.unit});
      told.readings.back().trouble = error.what();
    }
  }
  return told;
}

}  // namespace takt
