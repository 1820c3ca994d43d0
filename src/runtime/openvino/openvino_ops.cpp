#include "runtime/openvino/openvino_ops.h"

#include <openvino/core/node.hpp>
#include <optional>

#include "core/text.h"
#include "runtime/openvino/node_groups.h"
#include "runtime/openvino/openvino_tensors.h"

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

void add_tensors(OpSample& sample, const ov::Node& node) {
  std::vector<ov::PartialShape> inputs, outputs;
  for (const auto& input : node.inputs()) {
    sample.inputs.push_back(input.get_source_output().get_node()->get_friendly_name());
    inputs.push_back(input.get_partial_shape());
  }
  for (const auto& output : node.outputs()) outputs.push_back(output.get_partial_shape());
  sample.outputs.push_back(node.get_friendly_name());
  sample.input_shapes = shapes_of(inputs);
  sample.output_shapes = shapes_of(outputs);
}

OpSample describe(const ov::Node& node, const NodeGroup& group) {
  OpSample sample;
  const ov::Node& owner = *group.owner;
  sample.name = owner.get_friendly_name();
  sample.kernel = text_of(owner, "primitiveType");
  sample.node_type = text_of(owner, "layerType");
  for (const auto* op : group.ops) sample.model_ops.push_back(op->name);
  const Op* main = dominant(group.ops);
  sample.type = main ? main->type : text_of(node, "layerType");
  add_tensors(sample, owner);
  return sample;
}

/// Without a graph the layers' names are all that there is.
void name_by_layers(OpSample& sample, const ov::Node& node) {
  for (auto& layer : split(text_of(node, "originalLayersNames"), ','))
    if (!layer.empty()) sample.model_ops.push_back(std::move(layer));
}

/// HETERO puts "subgraph0: " before the names of its parts.
NodeTable::const_iterator find_node(const NodeTable& nodes, const std::string& counter) {
  const auto found = nodes.find(counter);
  const auto part = counter.find(": ");
  return found != nodes.end() || part == std::string::npos ? found : nodes.find(counter.substr(part + 2));
}

OpSample sample_of(const ov::ProfilingInfo& counter, const NodeTable& nodes) {
  if (const auto found = find_node(nodes, counter.node_name); found != nodes.end()) return found->second;
  OpSample sample;
  sample.name = counter.node_name;
  sample.type = counter.node_type;
  sample.kernel = counter.exec_type;
  return sample;
}

std::vector<NodeStamp> stamps_of(const std::vector<ov::ProfilingInfo>& counters) {
  std::vector<NodeStamp> stamps;
  for (const auto& counter : counters)
    stamps.push_back({counter.node_name, counter.start_time, counter.real_time,
                      counter.status == ov::ProfilingInfo::Status::EXECUTED});
  return stamps;
}

}  // namespace

NodeTable describe_nodes(const ov::Model& runtime_model, const Graph* graph) {
  NodeTable nodes;
  for (const auto& [node, group] : group_nodes(runtime_model, graph)) {
    auto& sample = nodes.insert_or_assign(node->get_friendly_name(), describe(*node, group)).first->second;
    if (!graph) name_by_layers(sample, *node);
  }
  return nodes;
}

std::vector<OpSample> time_nodes(const std::vector<ov::ProfilingInfo>& counters, const NodeTable& nodes,
                                 const TimedCall& call, NodeClock& clock) {
  std::vector<OpSample> samples;
  for (const NodeTime& time : clock.times(stamps_of(counters), call)) {
    auto& sample = samples.emplace_back(sample_of(counters[time.index], nodes));
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
    if (moves_data(known != nodes.end() ? known->second.type : counters[time.index].node_type))
      totals.moving += time.duration;
  }
  return totals;
}

}  // namespace takt::openvino
