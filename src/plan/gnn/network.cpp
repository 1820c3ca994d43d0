#include "plan/gnn/network.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/check.h"
#include "base/basics/text.h"

namespace takt {
namespace {

constexpr StageTensor edge_index{"edge_index", "2,E", Holds::indices};
constexpr StageTensor num_nodes{"num_nodes", "1", Holds::indices};
constexpr StageTensor before_layer{"x", "N,F"}, transformed{"out", "N,H"}, after_layer{"activated", "N,H"};

const std::vector<Stage> sage_stages{
    {"GATHER", {before_layer, edge_index}, {{"x_j", "E,F"}}},
    {"MESSAGE", {{"x_j", "E,F"}}, {{"messages", "E,F"}}},
    {"REDUCE_SUM", {{"messages", "E,F"}, edge_index, num_nodes}, {{"sum_agg", "N,F"}}, true},
    {"REDUCE_COUNT", {edge_index, num_nodes}, {{"count", "N", Holds::counts}}, true},
    {"NORMALIZE", {{"sum_agg", "N,F"}, {"count", "N", Holds::counts}}, {{"mean_agg", "N,F"}}},
    {"TRANSFORM", {{"mean_agg", "N,F"}, before_layer}, {transformed}},
    {"ACTIVATE", {transformed}, {after_layer}},
};

const std::vector<Stage> gcn_stages{
    {"COMPUTE_NORM", {edge_index, num_nodes}, {{"norm", "E"}}, true},
    {"GATHER", {before_layer, edge_index}, {{"x_j", "E,F"}}},
    {"MESSAGE", {{"x_j", "E,F"}, {"norm", "E"}}, {{"messages", "E,F"}}},
    {"REDUCE_SUM", {{"messages", "E,F"}, edge_index, num_nodes}, {{"agg", "N,F"}}, true},
    {"TRANSFORM", {{"agg", "N,F"}}, {transformed}},
    {"ACTIVATE", {transformed}, {after_layer}},
};

const std::vector<Stage> gat_stages{
    {"LINEAR", {before_layer}, {{"wx", "N,H"}}},
    {"GATHER_BOTH", {{"wx", "N,H"}, edge_index}, {{"wx_i", "E,H"}, {"wx_j", "E,H"}}},
    {"ATTENTION_SCORE", {{"wx_i", "E,H"}, {"wx_j", "E,H"}}, {{"scores", "E"}}},
    {"ATTENTION_SOFTMAX", {{"scores", "E"}, edge_index, num_nodes}, {{"alpha", "E"}}, true},
    {"MESSAGE_WEIGHTED", {{"alpha", "E"}, {"wx_j", "E,H"}}, {{"messages", "E,H"}}},
    {"REDUCE_SUM", {{"messages", "E,H"}, edge_index, num_nodes}, {{"agg", "N,H"}}, true},
    {"ACTIVATE", {{"agg", "N,H"}}, {after_layer}},
};

bool lists(const std::vector<StageTensor>& tensors, std::string_view name) {
  return std::any_of(tensors.begin(), tensors.end(), [&](const StageTensor& one) { return one.name == name; });
}

bool is_made(const StageRange& range, std::string_view name) {
  const auto& stages = stages_of(range.network);
  return std::any_of(stages.begin() + range.first - 1, stages.begin() + range.last,
                     [&](const Stage& stage) { return lists(stage.outputs, name); });
}

bool is_needed_after(const StageRange& range, std::string_view name) {
  const auto& stages = stages_of(range.network);
  return std::any_of(stages.begin() + range.last, stages.end(),
                     [&](const Stage& stage) { return lists(stage.inputs, name); });
}

}  // namespace

std::string_view network_name(Network network) {
  constexpr std::array<std::string_view, 3> names{"sage", "gcn", "gat"};
  return names[static_cast<std::size_t>(network)];
}

std::string_view network_title(Network network) {
  constexpr std::array<std::string_view, 3> titles{"GraphSAGE", "GCN", "GAT"};
  return titles[static_cast<std::size_t>(network)];
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const Network network : all_networks) names.emplace_back(network_name(network));
  return names;
}

std::optional<Network> network_named(std::string_view name) {
  for (const Network network : all_networks)
    if (network_name(network) == name) return network;
  return std::nullopt;
}

std::vector<std::int64_t> shape_of(const StageTensor& tensor, const GraphSize& size, std::int64_t features) {
  std::vector<std::int64_t> shape;
  for (const std::string& dim : split(tensor.dims, ',')) {
    const auto number = dim == "N"                 ? size.nodes
                        : dim == "E"               ? size.edges
                        : dim == "F" || dim == "H" ? features
                                                   : number_in<std::int64_t>(dim);
    TAKT_CHECK(number.has_value());
    shape.push_back(*number);
  }
  return shape;
}

const std::vector<Stage>& stages_of(Network network) {
  switch (network) {
    case Network::sage:
      return sage_stages;
    case Network::gcn:
      return gcn_stages;
    case Network::gat:
      break;
  }
  return gat_stages;
}

std::string to_string(const StageRange& range) {
  if (range.first == range.last) return fmt::format("{}_stage{}", network_name(range.network), range.first);
  return fmt::format("{}_stages{}-{}", network_name(range.network), range.first, range.last);
}

std::vector<StageRange> ranges_of(Network network) {
  std::vector<StageRange> ranges;
  const int count = static_cast<int>(stages_of(network).size());
  for (int first = 1; first <= count; ++first)
    for (int last = first; last <= count; ++last) ranges.push_back({network, first, last});
  return ranges;
}

RangePorts ports_of(const StageRange& range) {
  const auto& stages = stages_of(range.network);
  TAKT_CHECK(1 <= range.first && range.first <= range.last && static_cast<std::size_t>(range.last) <= stages.size());
  RangePorts ports;
  for (int number = range.first; number <= range.last; ++number) {
    const Stage& stage = stages[static_cast<std::size_t>(number) - 1];
    for (const StageTensor& tensor : stage.inputs)
      if (!is_made(range, tensor.name) && !lists(ports.inputs, tensor.name)) ports.inputs.push_back(tensor);
    for (const StageTensor& tensor : stage.outputs)
      if (number == range.last || is_needed_after(range, tensor.name)) ports.outputs.push_back(tensor);
  }
  const bool sees_nodes =
      std::any_of(ports.inputs.begin(), ports.inputs.end(), [](const StageTensor& one) { return one.is_per_node(); });
  if (sees_nodes) std::erase_if(ports.inputs, [](const StageTensor& one) { return one.name == num_nodes.name; });
  return ports;
}

}  // namespace takt
