#include "model/openvino/ops.h"

#include <algorithm>
#include <map>
#include <openvino/core/node.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "base/basics/text.h"
#include "model/openvino/node_groups.h"
#include "model/openvino/tensors.h"

namespace takt::openvino {
namespace {

std::vector<Shape> shapes_of(const std::vector<ov::PartialShape>& shapes) {
  std::vector<Shape> result;
  for (const auto& shape : shapes) {
    const auto known = shape.rank().is_static() ? concrete(partial_shape(shape)) : std::nullopt;
    if (!known) return {};  // all or none: a reader zips them with the tensors
    result.push_back(*known);
  }
  return result;
}

void add_tensors(ExecutedNode& executed, const ov::Node& node) {
  std::vector<ov::PartialShape> inputs, outputs;
  for (const auto& input : node.inputs()) {
    executed.inputs.push_back(input.get_source_output().get_node()->get_friendly_name());
    inputs.push_back(input.get_partial_shape());
  }
  for (const auto& output : node.outputs()) outputs.push_back(output.get_partial_shape());
  executed.outputs.push_back(node.get_friendly_name());
  executed.input_shapes = shapes_of(inputs);
  executed.output_shapes = shapes_of(outputs);
}

constexpr std::pair<std::string_view, ElementType> arithmetic_types[] = {
    {"f32", ElementType::f32}, {"f16", ElementType::f16}, {"bf16", ElementType::bf16},
    {"f64", ElementType::f64}, {"i8", ElementType::i8},   {"u8", ElementType::u8}};

std::optional<ElementType> computed_in(const ov::Node& node) {
  const std::string told = lower_case(text_of(node, "runtimePrecision"));
  for (const auto& [name, type] : arithmetic_types)
    if (told == name) return type;
  return std::nullopt;
}

ExecutedNode describe(const ov::Node& node, const NodeGroup& group) {
  ExecutedNode executed;
  const ov::Node& owner = *group.owner;
  executed.name = owner.get_friendly_name();
  executed.kernel = text_of(owner, "primitiveType");
  executed.node_type = text_of(owner, "layerType");
  executed.computed_in = computed_in(owner);
  for (const auto* op : group.ops) executed.model_ops.push_back(op->name);
  const Op* main = dominant(group.ops);
  executed.type = main ? main->type : text_of(node, "layerType");
  add_tensors(executed, owner);
  return executed;
}

/// Without a graph the layers' names are all that there is.
void name_by_layers(ExecutedNode& executed, const ov::Node& node) {
  for (auto& layer : split(text_of(node, "originalLayersNames"), ','))
    if (!layer.empty()) executed.model_ops.push_back(std::move(layer));
}

/// HETERO puts "subgraph0: " before the names of its parts.
NodeTable::const_iterator find_node(const NodeTable& nodes, const std::string& counter) {
  const auto found = nodes.find(counter);
  const auto part = counter.find(": ");
  return found != nodes.end() || part == std::string::npos ? found : nodes.find(counter.substr(part + 2));
}

std::shared_ptr<const ExecutedNode> executed_node(const ov::ProfilingInfo& counter, const NodeTable& nodes) {
  if (const auto found = find_node(nodes, counter.node_name); found != nodes.end()) return found->second;
  ExecutedNode executed;
  executed.name = counter.node_name;
  executed.type = counter.node_type;
  executed.kernel = counter.exec_type;
  return std::make_shared<const ExecutedNode>(std::move(executed));
}

std::vector<NodeStamp> stamps_of(const std::vector<ov::ProfilingInfo>& counters) {
  std::vector<NodeStamp> stamps;
  for (const auto& counter : counters)
    stamps.push_back({counter.node_name, counter.start_time, counter.real_time,
                      counter.status == ov::ProfilingInfo::Status::EXECUTED});
  return stamps;
}

}  // namespace

std::optional<ElementType> most_computed_in(const ov::Model& runtime_model) {
  std::map<ElementType, int> nodes;
  for (const auto& node : runtime_model.get_ops())
    if (const auto type = computed_in(*node); type && is_heavy_layer(text_of(*node, "layerType"))) ++nodes[*type];
  const auto most = std::max_element(nodes.begin(), nodes.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return most == nodes.end() ? std::nullopt : std::optional(most->first);
}

NodeTable describe_nodes(const ov::Model& runtime_model, const Graph* graph) {
  NodeTable nodes;
  for (const auto& [node, group] : group_nodes(runtime_model, graph)) {
    ExecutedNode executed = describe(*node, group);
    if (!graph) name_by_layers(executed, *node);
    nodes.insert_or_assign(node->get_friendly_name(), std::make_shared<const ExecutedNode>(std::move(executed)));
  }
  return nodes;
}

std::vector<OpSample> time_nodes(const std::vector<ov::ProfilingInfo>& counters, const NodeTable& nodes,
                                 const TimedCall& call, NodeClock& clock) {
  std::vector<OpSample> samples;
  const auto times = clock.times(stamps_of(counters), call);
  samples.reserve(times.size());
  for (const NodeTime& time : times) {
    auto& sample = samples.emplace_back();
    sample.node = executed_node(counters[time.index], nodes);
    sample.start = time.start;
    sample.duration = time.duration;
  }
  return samples;
}

OpTotals total_nodes(const std::vector<ov::ProfilingInfo>& counters, const NodeTable& nodes, const TimedCall& call,
                     NodeClock& clock) {
  OpTotals totals;
  for (const NodeTime& time : clock.times(stamps_of(counters), call)) {
    totals.all += time.duration;
    const auto known = find_node(nodes, counters[time.index].node_name);
    if (moves_data(known != nodes.end() ? known->second->type : counters[time.index].node_type))
      totals.moving += time.duration;
  }
  return totals;
}

}  // namespace takt::openvino
