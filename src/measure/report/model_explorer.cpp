#include "measure/report/model_explorer.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

/// "Conv_12": what takt calls a nameless operator, and some exporters theirs.
bool may_be_made_up(const Op& op) {
  return op.name.starts_with(op.type + "_") && number_in<std::size_t>(op.name.substr(op.type.size() + 1)).has_value();
}

/// What Model Explorer finds the operator's node by.
std::string key_of(const Graph& graph, const Op& op) {
  if (may_be_made_up(op))
    for (const TensorId id : op.outputs)
      if (id != no_tensor && !graph.tensor(id).name.empty()) return graph.tensor(id).name;
  return op.name;
}

}  // namespace

NodeData to_model_explorer(const RunResult& result, const OpProfile& profile) {
  if (!result.graph)
    throw Error(ErrorKind::unsupported, fmt::format("{}: its graph cannot be read, so there are no nodes for the times",
                                                    printable(result.model.string())));
  const Graph& graph = *result.graph;
  std::unordered_map<std::string_view, const Op*> ops;
  for (const Op& op : graph.ops) ops.emplace(op.name, &op);
  std::map<std::string, Nanoseconds> totals;
  Nanoseconds not_shown = profile.unattributed;
  for (const OpRow& row : profile.ops)
    if (const auto op = ops.find(row.name); op != ops.end())
      totals[key_of(graph, *op->second)] += row.total;
    else
      not_shown += row.total;
  const double runs = static_cast<double>(profile.runs);
  NodeData data{"", {}, Duration(not_shown) / runs};
  std::string results;
  for (const auto& [key, total] : totals) {
    const Duration mean = Duration(total) / runs;
    data.shown += mean;
    results +=
        fmt::format("{}\n      {}: {{\"value\": {}}}", results.empty() ? "" : ",", json_quote(key), mean.count());
  }
  constexpr std::string_view colours =
      R"([{"stop": 0, "bgColor": "#ffffff"}, {"stop": 0.5, "bgColor": "#ffb74d"}, {"stop": 1, "bgColor": "#d32f2f"}])";
  data.json = fmt::format(
      "{{\n  {}: {{\n    \"name\": {},\n    \"results\": {{{}\n    }},\n    \"gradient\": {}\n  }}\n}}\n",
      json_quote(graph.name.empty() ? "main_graph" : graph.name),
      json_quote(fmt::format("takt: mean time, us ({} on {})", result.runtime, result.device)), results, colours);
  return data;
}

}  // namespace takt
