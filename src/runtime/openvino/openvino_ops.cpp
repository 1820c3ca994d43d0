#include "runtime/openvino/openvino_ops.h"

#include <algorithm>
#include <array>
#include <openvino/core/node.hpp>
#include <optional>
#include <string_view>

#include "core/text.h"
#include "runtime/openvino/openvino_tensors.h"

namespace takt::openvino {
namespace {

/// Finds the model's operator from the name that OpenVINO's importer gave its layer: the operator's name, the name of
/// an output where it has none, or either followed by "/…" or "_OUTPUT" when the importer made several layers of it.
class OpIndex {
 public:
  explicit OpIndex(const Graph* graph) : graph_(graph) {
    if (!graph) return;
    for (const auto& op : graph->ops)
      for (const auto output : op.outputs) {
        if (output == no_tensor) continue;
        const auto& tensor = graph->tensor(output).name;
        by_name_.emplace(tensor, &op);
        by_name_.emplace(op.name + "_" + tensor, &op);
      }
    // Operator names win over tensor names that read the same.
    for (const auto& op : graph->ops) by_name_[op.name] = &op;
  }

  const Op* find(std::string_view layer) const {
    for (;;) {
      if (const auto found = by_name_.find(layer); found != by_name_.end()) return found->second;
      const auto slash = layer.rfind('/');
      if (slash == std::string_view::npos || slash == 0) return nullptr;
      layer = layer.substr(0, slash);
    }
  }

  bool has_graph() const { return graph_ != nullptr; }

 private:
  const Graph* graph_;
  std::map<std::string, const Op*, std::less<>> by_name_;
};

/// The operator that a fused kernel is named after: the heaviest kind present, else the first.
const Op* dominant(const std::vector<const Op*>& ops) {
  static constexpr std::array<std::string_view, 10> heavy{"Conv", "ConvTranspose", "MatMul",      "Gemm", "LSTM",
                                                          "GRU",  "Attention",     "QLinearConv", "RNN",  "Einsum"};
  for (const auto* op : ops)
    if (std::find(heavy.begin(), heavy.end(), op->type) != heavy.end()) return op;
  return ops.empty() ? nullptr : ops.front();
}

std::string text_of(const ov::Node& node, const std::string& key) {
  const auto& information = node.get_rt_info();
  const auto found = information.find(key);
  return found == information.end() ? std::string() : found->second.as<std::string>();
}

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

OpSample describe(const ov::Node& node, const OpIndex& index) {
  OpSample sample;
  sample.name = node.get_friendly_name();
  sample.kernel = text_of(node, "primitiveType");
  sample.node_type = text_of(node, "layerType");
  std::vector<const Op*> group;
  for (const auto& layer : split(text_of(node, "originalLayersNames"), ',')) {
    const Op* op = index.find(layer);
    if (op && std::find(group.begin(), group.end(), op) == group.end()) group.push_back(op);
    if (!index.has_graph() && !layer.empty()) sample.model_ops.push_back(layer);
  }
  for (const auto* op : group) sample.model_ops.push_back(op->name);
  const Op* main = dominant(group);
  sample.type = main ? main->type : text_of(node, "layerType");
  add_tensors(sample, node);
  return sample;
}

OpSample sample_of(const ov::ProfilingInfo& counter, const NodeTable& nodes) {
  if (const auto found = nodes.find(counter.node_name); found != nodes.end()) return found->second;
  OpSample sample;
  sample.name = counter.node_name;
  sample.type = counter.node_type;
  sample.kernel = counter.exec_type;
  return sample;
}

/// When a node ran, within the call.
struct NodeTime {
  const ov::ProfilingInfo* counter;
  Nanoseconds start, duration;
};

std::vector<NodeTime> node_times(const std::vector<ov::ProfilingInfo>& counters, Nanoseconds begin, Nanoseconds end,
                                 Nanoseconds wall) {
  // Stamps are whole microseconds, cut off: the first may seem to lie up to one before the call.
  const auto in_call = [&](const ov::ProfilingInfo& counter) {
    return counter.start_time >= begin - std::chrono::microseconds(1) && counter.start_time <= end;
  };
  std::vector<const ov::ProfilingInfo*> ran;
  for (const auto& counter : counters)
    if (counter.start_time.count() > 0 && in_call(counter)) ran.push_back(&counter);
  const bool stamped = !ran.empty();
  if (!stamped)
    for (const auto& counter : counters)
      if (counter.status == ov::ProfilingInfo::Status::EXECUTED && counter.start_time.count() == 0)
        ran.push_back(&counter);
  if (stamped) std::stable_sort(ran.begin(), ran.end(), [](auto* a, auto* b) { return a->start_time < b->start_time; });

  const auto within = [&](Nanoseconds at) { return std::clamp(at, Nanoseconds(0), wall); };
  std::vector<NodeTime> times;
  Nanoseconds at{0};
  for (std::size_t i = 0; i < ran.size(); ++i) {
    const auto start = stamped ? within(ran[i]->start_time - begin) : at;
    const auto next = !stamped             ? within(at + ran[i]->real_time)
                      : i + 1 < ran.size() ? within(ran[i + 1]->start_time - begin)
                                           : within(end - begin);
    times.push_back({ran[i], start, next - start});
    at = next;
  }
  return times;
}

}  // namespace

NodeTable describe_nodes(const ov::Model& runtime_model, const Graph* graph) {
  const OpIndex index(graph);
  NodeTable nodes;
  for (const auto& node : runtime_model.get_ordered_ops())
    nodes.emplace(node->get_friendly_name(), describe(*node, index));
  return nodes;
}

std::vector<OpSample> time_nodes(const std::vector<ov::ProfilingInfo>& counters, const NodeTable& nodes,
                                 Nanoseconds begin, Nanoseconds end, Nanoseconds wall) {
  std::vector<OpSample> samples;
  for (const NodeTime& time : node_times(counters, begin, end, wall)) {
    auto& sample = samples.emplace_back(sample_of(*time.counter, nodes));
    sample.start = time.start;
    sample.duration = time.duration;
  }
  return samples;
}

OpTotals total_nodes(const std::vector<ov::ProfilingInfo>& counters, const NodeTable& nodes, Nanoseconds begin,
                     Nanoseconds end, Nanoseconds wall) {
  OpTotals totals;
  for (const NodeTime& time : node_times(counters, begin, end, wall)) {
    totals.all += time.duration;
    const auto known = nodes.find(time.counter->node_name);
    if (moves_data(known != nodes.end() ? known->second.type : time.counter->node_type)) totals.moving += time.duration;
  }
  return totals;
}

}  // namespace takt::openvino
