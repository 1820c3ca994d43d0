#include "predict/prometheus/client.h"

#include <fmt/format.h>

#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

/// What the status says, where the body does not say more; empty: the body is an answer.
std::string refusal(int status, std::string_view body) {
  const auto is_answer = body.find("\"status\"") != std::string_view::npos;
  if (status == 200 || (is_answer && (status == 400 || status == 422))) return "";
  if (status == 401) return "requires authentication (401); give authorization or basic_auth";
  if (status == 403) return "does not allow this user to query it (403)";
  if (status == 404) return "has no /api/v1 (404); is this Prometheus, and does it have a path before it?";
  if (status == 503) return "is unavailable (503): it is starting, stopping or overloaded";
  if (status >= 300 && status < 400)
    return fmt::format("redirects ({}); write the address that it redirects to", status);
  return fmt::format("fails ({})", status);
}

}  // namespace

PrometheusClient::PrometheusClient(PrometheusAddress address) : address_(std::move(address)), http_(address_.http) {
  while (address_.url.ends_with('/')) address_.url.pop_back();
}

PrometheusAnswer PrometheusClient::query(const std::string& expression, Nanoseconds timeout) {
  return ask("query?query=" + url_encoded(expression), timeout);
}

PrometheusAnswer PrometheusClient::query_range(const std::string& expression, double begin, double end, double step,
                                               Nanoseconds timeout) {
  return ask(fmt::format("query_range?query={}&start={:.3f}&end={:.3f}&step={:.3f}", url_encoded(expression), begin,
                         end, step),
             timeout);
}

PrometheusAnswer PrometheusClient::ask(const std::string& path, Nanoseconds timeout) {
  const std::string where = printable(address_.url) + ": ";
  HttpAnswer answer;
  try {
    answer = http_.get(address_.url + "/api/v1/" + path, timeout);
  } catch (const Error& error) {
    throw Error(error.kind(), where + error.what());
  }
  if (const std::string why = refusal(answer.status, answer.body); !why.empty())
    throw Error(ErrorKind::io, where + why);
  try {
    return parse_prometheus_answer(answer.body);
  } catch (const Error& error) {
    throw Error(error.kind(), where + error.what());
  }
}

std::string promql_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n')
      quoted += "\\n";
    else
      quoted += c;
  }
  return quoted + "\"";
}

}  // namespace takt
