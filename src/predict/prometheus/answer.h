// What Prometheus answers to a query, from its JSON (Prometheus' HTTP API, version 1). Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace takt {

struct PrometheusSample {
  double time = 0;   ///< seconds since the epoch, by the server's clock
  double value = 0;  ///< may be NaN or infinite
};

struct PrometheusSeries {
  std::map<std::string, std::string> labels;  ///< the metric's name is `__name__`
  std::vector<PrometheusSample> samples;      ///< in the order of time

  /// Empty: it has no such label.
  std::string label(const std::string& name) const;
};

struct PrometheusAnswer {
  enum class Kind {
    vector,  ///< a sample per series
    matrix,  ///< many samples per series
    scalar,  ///< one sample of one series without labels
  };
  Kind kind = Kind::vector;
  std::vector<PrometheusSeries> series;
  std::vector<std::string> warnings;
};

/// Throws Error(bad_input): text that is no answer of Prometheus, an answer that says why there is none ("the query is
/// refused (bad_data): ..."), values that are no numbers. Histograms have no samples.
PrometheusAnswer parse_prometheus_answer(std::string_view json);

}  // namespace takt
