#include "plan/costs/json.h"

#include <cmath>

#include "base/basics/text.h"

namespace takt {

using nlohmann::ordered_json;

namespace {

/// Parts of a millisecond that a time is kept to.
double parts_of(double ms) { return ms < 1e6 ? 1e9 : 1e6; }

}  // namespace

double milliseconds(Duration time) {
  const double parts = parts_of(time.count() / 1e3);
  return std::round(time.count() * (parts / 1e3)) / parts;
}

Duration from_milliseconds(double ms) {
  const double parts = parts_of(ms);
  return Duration(std::round(ms * parts) / (parts / 1e3));
}

ordered_json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json header_json(const StageMeasurements& measurements, const Provenance& provenance) {
  ordered_json header = ordered_json::parse(to_json(provenance));
  header["network"] = network_name(measurements.network);
  header["features"] = measurements.features;
  return header;
}

std::string rows_text(const ordered_json& file) {
  std::string text = "{";
  for (const auto& [key, value] : file.items()) {
    text += text.size() == 1 ? "\n" : ",\n";
    text += json_quote(key) + ": " + value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }
  return text + "\n}\n";
}

}  // namespace takt
