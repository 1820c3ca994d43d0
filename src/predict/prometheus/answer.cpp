#include "predict/prometheus/answer.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/strict_json.h"

namespace takt {
namespace {

using nlohmann::json;

[[noreturn]] void not_prometheus(std::string_view what) {
  refuse_input(fmt::format("the server is not Prometheus: {}", what));
}

const json& member(const json& object, const char* key, json::value_t type) {
  if (!object.is_object() || !object.contains(key)) not_prometheus(fmt::format("its answer has no '{}'", key));
  const json& found = object.at(key);
  if (found.type() != type) not_prometheus(fmt::format("'{}' is {} in its answer", key, found.type_name()));
  return found;
}

std::string text_in(const json& object, const char* key) {
  return object.contains(key) && object.at(key).is_string() ? printable(object.at(key).get<std::string>()) : "";
}

/// A pair of a time and a number in quotes: "NaN", "+Inf" and "-Inf" are some.
PrometheusSample sample_of(const json& pair) {
  if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_string())
    not_prometheus("a sample is not [TIME, \"VALUE\"]");
  const auto text = pair[1].get<std::string>();
  std::string_view number = text;
  if (number.starts_with('+')) number.remove_prefix(1);
  const auto value = number_in<double>(number);
  const double time = pair[0].get<double>();
  if (!value || number.starts_with('+')) not_prometheus(fmt::format("a sample's value is '{}'", printable(text)));
  if (!std::isfinite(time) || std::abs(time) > 1e12) not_prometheus("a sample's time is not valid");
  return {time, *value};
}

PrometheusSeries series_of(const json& one) {
  PrometheusSeries series;
  for (const auto& [key, value] : member(one, "metric", json::value_t::object).items()) {
    if (!value.is_string()) not_prometheus("a label is not a string");
    series.labels[key] = value.get<std::string>();
  }
  if (one.contains("value")) series.samples.push_back(sample_of(one.at("value")));
  if (one.contains("values")) {
    for (const auto& pair : member(one, "values", json::value_t::array)) series.samples.push_back(sample_of(pair));
    for (std::size_t i = 1; i < series.samples.size(); ++i)
      if (series.samples[i].time < series.samples[i - 1].time) not_prometheus("samples are not in time order");
  }
  return series;
}

}  // namespace

std::string PrometheusSeries::label(const std::string& name) const {
  const auto found = labels.find(name);
  return found == labels.end() ? "" : found->second;
}

PrometheusAnswer parse_prometheus_answer(std::string_view text) {
  json root;
  try {
    root = parse_strictly(text, "the answer");
  } catch (const Error& error) {
    not_prometheus(error.what());
  }
  const std::string status = member(root, "status", json::value_t::string).get<std::string>();
  if (status == "error")
    refuse_input(fmt::format("the query is refused ({}): {}", text_in(root, "errorType"), text_in(root, "error")));
  if (status != "success") not_prometheus(fmt::format("its status is '{}'", printable(status)));

  PrometheusAnswer answer;
  const json& data = member(root, "data", json::value_t::object);
  const std::string kind = member(data, "resultType", json::value_t::string).get<std::string>();
  const json& result = member(data, "result", json::value_t::array);
  if (kind == "scalar") {
    answer.kind = PrometheusAnswer::Kind::scalar;
    answer.series.push_back({{}, {sample_of(result)}});
  } else if (kind == "vector" || kind == "matrix") {
    answer.kind = kind == "vector" ? PrometheusAnswer::Kind::vector : PrometheusAnswer::Kind::matrix;
    for (const json& one : result) answer.series.push_back(series_of(one));
  } else {
    refuse_input(fmt::format("the query returns a {}, where series of numbers are needed", printable(kind)));
  }
  if (root.contains("warnings") && root.at("warnings").is_array())
    for (const json& one : root.at("warnings"))
      if (one.is_string()) answer.warnings.push_back(printable(one.get<std::string>()));
  return answer;
}

}  // namespace takt
