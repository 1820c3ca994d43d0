#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/basics/check.h"
#include "plan/costs/json.h"
#include "plan/costs/raw_measurements.h"

namespace takt {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson copy_json(const StageCopy& copy) { return {{"bytes", copy.bytes}, {"median", milliseconds(copy.median)}}; }

OrderedJson times_json(const std::optional<StageTimes>& times) {
  OrderedJson json;
  const auto add = [&](const char* key, const std::optional<Duration>& time) {
    json[key] = time ? OrderedJson(milliseconds(*time)) : OrderedJson(nullptr);
  };
  add("mean", times ? std::optional(times->mean) : std::nullopt);
  add("std", times ? times->stddev : std::nullopt);
  add("min", times ? std::optional(times->min) : std::nullopt);
  add("max", times ? std::optional(times->max) : std::nullopt);
  if (!times) return json;
  if (times->median) add("median", times->median);
  if (times->p90) add("p90", times->p90);
  if (times->samples.empty()) return json;
  OrderedJson samples = OrderedJson::array();
  for (const Nanoseconds sample : times->samples) samples.push_back(sample.count());
  json["samples_ns"] = std::move(samples);
  if (!times->rounds.empty()) json["rounds"] = times->rounds;
  return json;
}

OrderedJson row_json(const StageMeasurement& row) {
  OrderedJson json = times_json(row.times);
  if (row.status != StageStatus::measured) json["failed"] = true;  // what other programs look at
  json["status"] = status_name(row.status);
  if (!row.reason.empty()) json["reason"] = row.reason;
  const auto add = [&](const char* key, const std::string& text) {
    if (!text.empty()) json[key] = text;
  };
  add("runtime", row.runtime);
  add("device", row.device);
  add("precision", row.precision);
  if (!row.inputs_copy && !row.outputs_copy) return json;
  OrderedJson& copies = json["copies"];
  if (row.inputs_copy) copies["inputs"] = copy_json(*row.inputs_copy);
  if (row.outputs_copy) copies["outputs"] = copy_json(*row.outputs_copy);
  return json;
}

}  // namespace

std::string raw_measurements_json(const StageMeasurements& measurements, const Provenance& provenance) {
  OrderedJson file;
  file["takt"] = header_json(measurements, provenance);
  std::vector<const StageMeasurement*> rows;
  for (const StageMeasurement& row : measurements.rows) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(),
            [](const StageMeasurement* a, const StageMeasurement* b) { return a->key < b->key; });
  for (const StageMeasurement* row : rows) {
    TAKT_CHECK((row->status == StageStatus::measured) == row->times.has_value());
    file[to_string(row->key)] = row_json(*row);
  }
  return rows_text(file);
}

}  // namespace takt
