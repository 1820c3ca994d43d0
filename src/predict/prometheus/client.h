// Prometheus' HTTP API, version 1: the queries that takt asks.
#pragma once

#include <string>

#include "predict/prometheus/answer.h"
#include "predict/prometheus/http_client.h"

namespace takt {

struct PrometheusAddress {
  std::string url = "http://127.0.0.1:9090";  ///< a path before /api/v1 may follow
  HttpSettings http{};
};

/// Not thread-safe.
class PrometheusClient {
 public:
  /// Throws Error(unsupported) without libcurl.
  explicit PrometheusClient(PrometheusAddress address);

  /// An instant query at the present. Both throw Error(io) where the server gives no answer, and Error(bad_input) where
  /// it is none that can be used: one sentence, beginning with the address.
  PrometheusAnswer query(const std::string& expression, Nanoseconds timeout);
  /// A range query: the expression at `begin`, and from there every `step` up to `end`; seconds since the epoch by the
  /// server's clock. A range of more than 11,000 steps is refused by the server.
  PrometheusAnswer query_range(const std::string& expression, double begin, double end, double step,
                               Nanoseconds timeout);

  const std::string& url() const { return address_.url; }

 private:
  PrometheusAnswer ask(const std::string& path, Nanoseconds timeout);

  PrometheusAddress address_;
  HttpClient http_;
};

/// A PromQL string with its quotes.
std::string promql_text(std::string_view text);

}  // namespace takt
