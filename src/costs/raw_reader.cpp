#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/file.h"
#include "core/strict_json.h"
#include "core/text.h"
#include "costs/raw_measurements.h"
#include "costs/raw_row.h"

namespace takt {
namespace {

using Json = nlohmann::json;

constexpr unsigned known_version = 1;
constexpr std::int64_t most_nodes = std::numeric_limits<std::int32_t>::max() - 1;  // runtimes count in 32 bits

Network network_in(const Json& value, std::string_view where) {
  for (const Network network : all_networks)
    if (value == Json(network_name(network))) return network;
  refuse_input(fmt::format("{}: 'network' is {}; takt knows sage, gcn and gat", where, shown_json(value)));
}

/// What the file says of itself under `takt`; `measurements` keeps what it does not say.
void read_header(const Json& takt, std::string_view where, StageMeasurements& measurements) {
  const std::string place = fmt::format("{}: 'takt'", where);
  if (!takt.is_object()) refuse_input(fmt::format("{} is {}; write an object", place, shown_json(takt)));
  if (const auto version = takt.find("schema_version"); version != takt.end())
    if (!version->is_number_unsigned() || version->get<std::uint64_t>() > known_version)
      refuse_input(fmt::format("{}: 'schema_version' is {}, and this takt reads {}; use a later takt", place,
                               shown_json(*version), known_version));
  if (const auto network = takt.find("network"); network != takt.end())
    measurements.network = network_in(*network, place);
  if (const auto features = takt.find("features"); features != takt.end()) {
    const bool is_count =
        features->is_number_unsigned() && features->get<std::uint64_t>() <= static_cast<std::uint64_t>(most_nodes);
    if (!is_count || features->get<std::int64_t>() < 1)
      refuse_input(fmt::format("{}: 'features' is {}; give a whole number from 1", place, shown_json(*features)));
    measurements.features = features->get<std::int64_t>();
  }
}

StageKey key_in(const std::string& text, Network network, std::string_view where) {
  const std::string place = fmt::format("{}: '{}'", where, printable(text.substr(0, 80)));
  const auto key = parse_stage_key(text);
  if (!key || to_string(*key) != text)
    refuse_input(fmt::format("{} names no row; write NODES,EDGES,UNIT,STAGE such as 1000,2000,CPU,3", place));
  if (key->nodes < 1 || key->nodes > most_nodes || key->edges > most_nodes)
    refuse_input(fmt::format("{}: nodes are 1 to {} and edges 0 to {}", place, most_nodes, most_nodes));
  const std::vector<std::string> units(all_units.begin(), all_units.end());
  if (std::find(units.begin(), units.end(), key->unit) == units.end())
    refuse_input(fmt::format("{}: '{}' is no unit; {}", place, printable(key->unit),
                             suggestion(key->unit, units, "use CPU, GPU or NPU")));
  const int stages = static_cast<int>(stages_of(network).size());
  if (key->last > stages)
    refuse_input(
        fmt::format("{}: {} has {} stages, and none is number {}", place, network_title(network), stages, key->last));
  return *key;
}

}  // namespace

StageMeasurements parse_raw_measurements(std::string_view json, std::string_view where, const ForeignRows& foreign) {
  const Json file = parse_strictly(json, where);
  if (!file.is_object()) refuse_input(fmt::format("{}: is {}; write an object with rows", where, shown_json(file)));
  StageMeasurements measurements{foreign.network, foreign.features, {}};
  if (const auto takt = file.find("takt"); takt != file.end()) read_header(*takt, where, measurements);
  for (const auto& [text, row] : file.items()) {
    if (text == "takt") continue;
    const StageKey key = key_in(text, measurements.network, where);
    measurements.rows.push_back(parse_raw_row(row, fmt::format("{}: '{}'", where, text)));
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
