// Prometheus as a load source: what node exporters, DCGM exporters and takt's own exporter have told it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "predict/load/source.h"
#include "predict/prometheus/client.h"

namespace takt {

/// A figure of the user's own.
struct OwnMetric {
  std::string name, query, unit;
};

struct PrometheusSettings {
  PrometheusAddress address;
  Nanoseconds timeout{2'000'000'000};          ///< of a whole reading, however many questions it takes
  Nanoseconds stale_after{60'000'000'000};     ///< older values are not the present
  Nanoseconds lookback{60'000'000'000};        ///< how far back samples count, at least: two scrapes and more
  std::map<std::string, std::string> match{};  ///< labels that series must have: {instance: "box:9100"}
  std::vector<OwnMetric> metrics{};
};

class PrometheusLoad : public LoadSource {
 public:
  /// Throws Error(unsupported) without libcurl.
  explicit PrometheusLoad(PrometheusSettings settings);
  std::string_view name() const override { return "prometheus"; }
  void begin() override { begin_ = steady_now(); }
  /// Returns within the timeout and a few milliseconds.
  SourceReadings read() override;

 private:
  SourceReadings ask();
  double server_time(Nanoseconds deadline);

  PrometheusSettings settings_;
  PrometheusClient client_;
  std::optional<Nanoseconds> begin_;
};

}  // namespace takt
