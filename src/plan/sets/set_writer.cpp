#include <nlohmann/json.hpp>

#include "base/basics/index.h"
#include "plan/sets/set_file.h"

namespace takt {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson size_json(const GraphSize& size) { return {{"nodes", size.nodes}, {"edges", size.edges}}; }

OrderedJson size_json(const std::optional<GraphSize>& size) { return size ? size_json(*size) : OrderedJson(); }

OrderedJson point_json(const PlanSet::Point& point) {
  OrderedJson json = size_json(point.size);
  OrderedJson costs = OrderedJson::array();
  for (const PlanSet::Cost& cost : point.costs) costs.push_back(cost ? OrderedJson(cost->count()) : OrderedJson());
  json["costs_ns"] = std::move(costs);
  json["best"] = point.best;
  json["best_known_ns"] = point.best_known.count();
  json["extrapolated"] = point.extrapolated;
  return json;
}

OrderedJson threshold_json(const PlanThreshold& threshold) {
  return {{"below", threshold.below},
          {"above", threshold.above},
          {"at", size_json(threshold.at)},
          {"up", size_json(threshold.up)},
          {"down", size_json(threshold.down)}};
}

/// A list with an entry per line, so that `diff` finds what changed.
template <typename Entry, typename Write>
std::string lines_of(const std::vector<Entry>& entries, Write write) {
  std::string text = "[";
  for (std::size_t k = 0; k < entries.size(); ++k)
    text +=
        (k == 0 ? "\n    " : ",\n    ") + write(entries[k]).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  return text + (entries.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string to_json(const PlanSet& set, const Provenance& provenance) {
  OrderedJson head;
  head["takt_plan_set"] = 1;
  head["objective"] = objective_name(set.objective);
  head["batches"] = set.batches;
  head["share_steps"] = set.steps;
  head["divided"] = set.divide;
  head["units_once"] = set.units_once;
  head["most_blocks"] = set.most_blocks ? OrderedJson(*set.most_blocks) : OrderedJson();
  head["stages"] = set.stages;
  head["units"] = set.units;
  head["switch_cost_ns"] = set.switch_cost.count();
  head["tolerance"] = set.tolerance;
  std::string text = "{\n  \"takt\": " + to_json(provenance);
  for (const auto& [key, value] : head.items())
    text +=
        ",\n  " + OrderedJson(key).dump() + ": " + value.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
  text += ",\n  \"costs\": " + lines_of(set.files, [](const CostFile& file) {
            return OrderedJson{{"file", file.name}, {"fingerprint", file.contents}};
          });
  text += ",\n  \"plans\": " + lines_of(set.plans, [](const Plan& plan) { return OrderedJson::parse(to_json(plan)); });
  text += ",\n  \"sizes\": " + lines_of(set.points, point_json);
  text += ",\n  \"thresholds\": " + lines_of(set.thresholds, threshold_json);
  return text + "\n}\n";
}

}  // namespace takt
