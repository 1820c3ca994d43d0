#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "plan/costs/raw_measurements.h"
#include "plan/costs/raw_row.h"
#include "plan/costs/row_values.h"

namespace takt {
namespace {

using Json = nlohmann::json;

constexpr unsigned known_version = 1;

Network network_in(const Json& value, std::string_view where) {
  for (const Network network : all_networks)
    if (value == Json(network_name(network))) return network;
  refuse_input(fmt::format("{}: 'network' is {}; use sage, gcn or gat", where, JsonObject::shown(value)));
}

/// What the file says of itself under `takt`; `measurements` keeps what it does not say.
void read_header(const Json& takt, std::string_view where, StageMeasurements& measurements) {
  const std::string place = fmt::format("{}: 'takt'", where);
  if (!takt.is_object()) refuse_input(fmt::format("{} is {}; write an object", place, JsonObject::shown(takt)));
  if (const auto version = takt.find("schema_version"); version != takt.end())
    if (!version->is_number_unsigned() || version->get<std::uint64_t>() > known_version)
      refuse_input(fmt::format("{}: 'schema_version' is {}, but this version of takt reads {}; use a newer version",
                               place, JsonObject::shown(*version), known_version));
  if (const auto network = takt.find("network"); network != takt.end())
    measurements.network = network_in(*network, place);
  if (const auto features = takt.find("features"); features != takt.end()) {
    const bool is_count = features->is_number_unsigned() &&
                          features->get<std::uint64_t>() <= static_cast<std::uint64_t>(most_graph_nodes);
    if (!is_count || features->get<std::int64_t>() < 1)
      refuse_input(
          fmt::format("{}: 'features' is {}; give a whole number from 1", place, JsonObject::shown(*features)));
    measurements.features = features->get<std::int64_t>();
  }
}

}  // namespace

StageMeasurements parse_raw_measurements(std::string_view json, std::string_view where, const ForeignRows& foreign) {
  const Json file = parse_strictly(json, where);
  if (!file.is_object())
    refuse_input(fmt::format("{}: is {}; write an object with rows", where, JsonObject::shown(file)));
  StageMeasurements measurements{foreign.network, foreign.features, {}};
  if (const auto takt = file.find("takt"); takt != file.end()) read_header(*takt, where, measurements);
  for (const auto& [text, row] : file.items()) {
    if (text == "takt") continue;
    const std::string place = fmt::format("{}: '{}'", where, quoted_part(text));
    const StageKey key = checked_stage_key(text, measurements.network, place);
    measurements.rows.push_back(parse_raw_row(row, place));
    measurements.rows.back().key = key;
  }
  if (measurements.rows.empty()) refuse_input(fmt::format("{}: has no row", where));
  std::sort(measurements.rows.begin(), measurements.rows.end(),
            [](const StageMeasurement& a, const StageMeasurement& b) { return a.key < b.key; });
  return measurements;
}

StageMeasurements read_raw_measurements(const std::filesystem::path& path, const ForeignRows& foreign) {
  return parse_raw_measurements(read_file(path), printable(path.string()), foreign);
}

}  // namespace takt
