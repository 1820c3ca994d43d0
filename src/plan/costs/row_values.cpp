#include "plan/costs/row_values.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"
#include "base/files/json_object.h"

namespace takt {

StageKey checked_stage_key(const std::string& text, Network network, const std::string& place) {
  const auto key = parse_stage_key(text);
  if (!key || to_string(*key) != text)
    refuse_input(fmt::format("{} is not a row; write NODES,EDGES,UNIT,STAGE, for example 1000,2000,CPU,3", place));
  if (key->nodes < 1 || key->nodes > most_graph_nodes || key->edges > most_graph_nodes)
    refuse_input(fmt::format("{}: nodes are 1 to {} and edges 0 to {}", place, most_graph_nodes, most_graph_nodes));
  const std::vector<std::string> units(all_units.begin(), all_units.end());
  if (std::find(units.begin(), units.end(), key->unit) == units.end())
    refuse_input(fmt::format("{}: '{}' is not a unit; {}", place, quoted_part(key->unit),
                             suggestion(key->unit, units, "use CPU, GPU or NPU")));
  const int stages = static_cast<int>(stages_of(network).size());
  if (key->last > stages)
    refuse_input(fmt::format("{}: {} has {} stages, so number {} does not exist", place, network_title(network), stages,
                             key->last));
  return *key;
}

std::vector<Nanoseconds> checked_samples(const nlohmann::json& list, const std::string& place) {
  std::vector<Nanoseconds> samples;
  for (const auto& one : JsonObject::list_in(list, place))
    samples.emplace_back(JsonObject::integer_in(one, place, 1, longest_sample_ns));
  return samples;
}

}  // namespace takt
